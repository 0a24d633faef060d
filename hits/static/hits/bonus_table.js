// Asks the server for the bonus table as its buttons change it, and for its example while one types.
// Without this script the same buttons send the whole form.
const PAUSE_MS = 400;

function follow(table) {
  const form = table.closest("form");
  const state = { asking: null, waiting: 0, isPressing: false };

  const ask = async (press) => {
    state.asking?.abort();
    const asking = new AbortController();
    state.asking = asking;
    const sent = new FormData();
    sent.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    for (const field of table.querySelectorAll("input, select")) sent.append(field.name, field.value);
    for (const [name, value] of Object.entries(press)) sent.append(name, value);
    const answer = await fetch(table.dataset.bonusTable, {
      method: "POST",
      body: sent,
      signal: asking.signal,
    });
    if (!answer.ok || answer.redirected) throw new Error(`answered ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("[data-bonus-table]");
  };

  table.addEventListener("click", async (event) => {
    const button = event.target.closest("button[name]");
    if (!button) return;
    event.preventDefault();
    clearTimeout(state.waiting);
    state.isPressing = true;
    const opened = Boolean(table.querySelector("details[open]"));
    try {
      const fresh = await ask({ [button.name]: button.value });
      table.replaceChildren(...fresh.childNodes);
      const details = table.querySelector("details");
      if (details) details.open = opened;
      const next = table.querySelector("[autofocus]");
      const same = table.querySelector(`button[value="${button.value}"]:not(:disabled)`);
      (next ?? same ?? table.querySelector("select")).focus();
    } catch (error) {
      // A page that cannot reach the server this way still sends the form.
      if (error.name !== "AbortError") form.requestSubmit(button);
    } finally {
      state.isPressing = false;
    }
  });

  // What somebody types in stays: only the example is fetched anew, or its result alone.
  const show = async () => {
    try {
      const fresh = await ask({});
      const within = table.querySelector("[data-example]")?.contains(document.activeElement);
      const part = within ? "[data-earned]" : "[data-example]";
      const [old, now] = [table.querySelector(part), fresh.querySelector(part)];
      if (old && now) old.replaceWith(now);
    } catch {
      // The button below the example asks again.
    }
  };

  // A button that was pressed is answered first: its answer has the example of the new table.
  table.addEventListener("input", () => {
    clearTimeout(state.waiting);
    if (state.isPressing) return;
    state.waiting = setTimeout(show, PAUSE_MS);
  });
}

for (const table of document.querySelectorAll("[data-bonus-table]")) follow(table);

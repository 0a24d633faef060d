// Puts a word to the model, once, and waits for its verdict. The server keeps both; this page only shows them.
"use strict";

for (const form of document.querySelectorAll("form[data-ask]")) {
  const token = form.elements.token.value;
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  // The verdict is mostly there within a tenth of a second; whoever waits longer asks more rarely.
  const FIRST_MS = 40;
  const SLOWEST_MS = 500;
  const LATE_MS = 5000;

  const call = async (address, fields) => {
    const body = new URLSearchParams({ token });
    for (const [name, value] of fields) body.append(name, value);
    const answer = await fetch(address, { method: "POST", body, credentials: "omit" });
    const state = await answer.json();
    if (state.problem && answer.status !== 429) throw new Error(state.problem);
    return state.problem ? { state: "away" } : state;
  };

  for (const slot of form.querySelectorAll("fieldset[data-slot]")) {
    const number = slot.dataset.slot;
    const cue = slot.querySelector("[data-cue]");
    const button = slot.querySelector("[data-test]");
    const said = slot.querySelector("[data-said]");
    const marks = slot.querySelector("[data-marks]");
    const boxes = [...slot.querySelectorAll("[data-place]")];

    const lock = (locked) => {
      for (const control of [cue, button, ...boxes]) control.disabled = locked;
    };

    // Said once: a screen reader repeats what is written anew.
    const say = (words) => {
      if (said.textContent !== words) said.textContent = words;
    };

    const show = ({ chosen, text, state, predicted = [], fool }) => {
      if (text) cue.value = text;
      if (chosen) boxes.forEach((box, place) => { box.checked = chosen.includes(place); });
      if (state !== "answered") {
        say(form.dataset[state]);
        return;
      }
      say(form.dataset.fooled.replace("%d", fool).replace("%%", "%"));
      marks.replaceChildren(
        ...boxes.flatMap((box, place) => {
          const [theirs, ours] = [predicted.includes(place), chosen.includes(place)];
          if (!theirs && !ours) return [];
          const line = document.createElement("li");
          const sign = theirs && ours ? "✓" : theirs ? "✗" : "–";
          const words = theirs && ours ? form.dataset.right : theirs ? form.dataset.wrong : form.dataset.missed;
          const name = box.closest("label").querySelector(".label span").textContent;
          line.textContent = `${sign} ${name}: ${words}`;
          return [line];
        }),
      );
      marks.hidden = false;
    };

    const wait = async (first) => {
      let state = first;
      let ms = FIRST_MS;
      while (state.state !== "answered") {
        show(state);
        await pause(state.state === "late" ? LATE_MS : ms);
        ms = Math.min(ms * 1.5, SLOWEST_MS);
        try {
          state = await call(form.dataset.verdict, [["slot", number]]);
        } catch (problem) {
          if (!(problem instanceof TypeError)) throw problem;
          state = { state: "away" };
        }
      }
      show(state);
    };

    const ask = async () => {
      lock(true);
      say(form.dataset.waiting);
      const chosen = boxes.filter((box) => box.checked).map((box) => ["chosen", box.dataset.place]);
      try {
        await wait(await call(form.dataset.ask, [["slot", number], ["cue", cue.value], ...chosen]));
      } catch (problem) {
        // A network that failed may have carried the question: asking again is answered with what is stored.
        say(problem instanceof TypeError ? form.dataset.away : problem.message);
        lock(false);
      }
    };

    button.addEventListener("click", ask);
    cue.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        button.click();
      }
    });
    if ("asked" in slot.dataset) {
      lock(true);
      wait({ state: "waiting" }).catch((problem) => say(problem.message));
    }
  }
}

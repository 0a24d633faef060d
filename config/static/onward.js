// The next one without another page: what a form[data-once], or a link with a key, leads to is fetched and put into
// this page. Without this file the same forms and links open the same pages. a[data-ahead]: a page that is fetched
// beforehand; data-once="ahead": a form that leads to it; data-here: the address of what is shown.
// After each change the document hears "onward", and a screen reader what the page says.
"use strict";

(() => {
  const main = document.querySelector("main");
  // Messages have a place that stays: a screen reader hears only of changes in what it knows.
  const told = document.createElement("div");
  told.setAttribute("role", "status");
  main.prepend(told);
  let ahead = null;
  let isBusy = false;

  const read = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");
  const scriptsOf = (page) => [...page.querySelectorAll("script[src]")].map((script) => script.getAttribute("src")).join();
  // What another page needs beside its text is loaded with it alone.
  const fits = (page, url) =>
    page?.querySelector("main") && new URL(url).pathname === location.pathname && scriptsOf(page) === scriptsOf(document);

  const settled = () => document.dispatchEvent(new Event("onward"));

  const shown = () => [...main.childNodes].filter((node) => node !== told);
  const put = (nodes) => {
    for (const node of shown()) node.remove();
    main.append(...nodes);
  };

  // A picture that is there already is not drawn a second time.
  const keepPictures = (fresh) => {
    const known = new Map([...main.querySelectorAll("img")].map((image) => [image.outerHTML, image]));
    for (const image of fresh.querySelectorAll("img")) {
      const same = known.get(image.outerHTML);
      if (same) image.replaceWith(same);
      known.delete(image.outerHTML);
    }
  };

  // What is shown ahead of the answer takes nothing from what may have to come back.
  const show = (page, { isAhead }) => {
    const fresh = document.importNode(page.querySelector("main"), true);
    if (!isAhead) keepPictures(fresh);
    document.title = page.title;
    for (const link of document.querySelectorAll("head link[rel=prefetch]")) link.remove();
    document.head.append(...page.querySelectorAll("head link[rel=prefetch]"));
    const messages = fresh.querySelector(":scope > .messagelist");
    messages?.remove();
    told.replaceChildren(...(messages ? [messages] : []));
    put(fresh.childNodes);
  };

  // Whoever reads goes on at the top, with the heading of what has come; whoever writes, in the field to mend.
  const arrive = () => {
    scrollTo(0, 0);
    const field = main.querySelector("[autofocus]");
    if (field) return field.focus();
    const heading = main.querySelector(".sheet h2") ?? main.querySelector(".empty h2, h1");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  };

  const lookAhead = async () => {
    const url = main.querySelector("a[data-ahead]")?.href;
    ahead = null;
    if (!url) return;
    try {
      const answer = await fetch(url);
      const page = answer.ok && !answer.redirected ? await read(answer) : null;
      if (main.querySelector("a[data-ahead]")?.href !== url || !page) return;
      for (const image of page.querySelectorAll("main img")) new Image().src = image.src;
      ahead = { url, page };
    } catch {
      // It is fetched when it is wanted.
    }
  };

  const explain = (words, near) => {
    const note = document.createElement("p");
    note.className = "note bad";
    note.setAttribute("role", "alert");
    note.dataset.trouble = "";
    note.textContent = words;
    near.before(note);
  };

  const problemOf = (answer) => {
    if (answer.redirected && answer.url.includes("/login/")) {
      return "You are signed out, so nothing was changed. What you have typed is still here: copy it, and sign in again.";
    }
    const then = answer.status < 500 ? "copy it, and open this page again" : "press again to try once more";
    return `The server could not do it (${answer.status}). What you have typed is still here: ${then}.`;
  };

  const ask = async (request) => {
    try {
      const answer = await fetch(...request);
      const isPage = answer.ok || answer.status === 409 || answer.status === 400;
      if (!isPage || answer.url.includes("/login/")) return { problem: problemOf(answer) };
      return { answer, page: await read(answer) };
    } catch {
      return { problem: "The server cannot be reached. What you have typed is still here: press again to try once more. "
        + "If it did arrive, the page will say so, and nothing is decided twice." };
    }
  };

  // A form that is shown again with what was typed has no address of its own.
  const settle = ({ answer, page }, { isNew }) => {
    const isOwn = answer.redirected || new URL(answer.url).pathname === location.pathname;
    const url = isOwn ? answer.url : location.href;
    if (!fits(page, url)) return location.assign(url);
    if (isNew && isOwn) history.pushState({ onward: true }, "", url);
    show(page, { isAhead: false });
    settled();
    arrive();
    lookAhead();
  };

  // `near` is where a failure is told, and `next` whether the page ahead is what will come.
  const go = async (request, { near, next }) => {
    isBusy = true;
    main.querySelector("[data-trouble]")?.remove();
    const here = main.querySelector("[data-here]")?.dataset.here;
    history.replaceState({ onward: true }, "", here || location.href);
    const before = { nodes: shown(), focused: document.activeElement, y: scrollY };
    main.setAttribute("aria-busy", "true");
    const asking = ask(request);
    if (next && ahead && fits(ahead.page, ahead.url)) {
      main.inert = true;
      show(ahead.page, { isAhead: true });
      scrollTo(0, 0);
    }
    const found = await asking;
    main.inert = false;
    main.removeAttribute("aria-busy");
    isBusy = false;
    if (!found.problem) return settle(found, { isNew: true });
    put(before.nodes);
    told.replaceChildren();
    settled();
    before.focused?.focus({ preventScroll: true });
    scrollTo(0, before.y);
    explain(found.problem, near);
    lookAhead();
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("main form[data-once]")) return;
    if (!event.defaultPrevented && !isBusy) {
      const body = new URLSearchParams(new FormData(form, event.submitter));
      const next = form.dataset.once === "ahead";
      go([form.getAttribute("action") || location.href, { method: "POST", body }], { near: form, next });
    }
    event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("main a[data-key]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || new URL(link.href).pathname !== location.pathname) return;
    event.preventDefault();
    if (!isBusy) go([link.href], { near: link.parentElement, next: "ahead" in link.dataset });
  });

  addEventListener("popstate", async ({ state }) => {
    if (!state?.onward) return;
    const found = await ask([location.href]);
    if (found.problem) location.reload();
    else settle(found, { isNew: false });
  });

  lookAhead();
})();

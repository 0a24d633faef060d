// Reads the page again while something of it may change, and swaps only the parts that have changed.
"use strict";

(() => {
  const news = document.querySelector("[data-live-news]");
  const held = document.querySelector("[data-live-held]");
  const shown = () => document.querySelector("[data-live]");
  let waiting = 0;

  const wait = () => {
    clearTimeout(waiting);
    const every = Number(shown().dataset.every);
    if (every && !document.hidden) waiting = setTimeout(look, every);
  };

  // The token of a form is another one in every answer, and no news.
  const content = (part) => part.outerHTML.replaceAll(/ name="csrfmiddlewaretoken" value="\w+"/gu, "");

  const isFilled = (field) => (/checkbox|radio/u.test(field.type)
    ? field.checked !== field.defaultChecked
    : field.value !== field.defaultValue);
  const isInUse = (part) => part.contains(document.activeElement)
    || [...part.querySelectorAll("input, textarea")].some(isFilled);

  // What somebody is using, or has opened, stays as it is. True if it is not what the server says now.
  const swap = (old, fresh) => {
    for (const open of old.querySelectorAll("details[open][data-keep]")) {
      const same = fresh.querySelector(`details[data-keep="${open.dataset.keep}"]`);
      if (same) same.open = true;
    }
    const isOther = content(old) !== content(fresh);
    if (isOther && !isInUse(old)) old.replaceWith(fresh);
    return isOther && old.isConnected;
  };

  const show = (fresh) => {
    const now = shown();
    const names = (root) => [...root.querySelectorAll("[data-part]")].map((part) => part.dataset.part).join();
    if (names(now) !== names(fresh) && !isInUse(now)) now.replaceWith(fresh);
    else {
      let kept = 0;
      for (const part of fresh.querySelectorAll("[data-part]")) {
        const old = now.querySelector(`[data-part="${part.dataset.part}"]`);
        if (old && swap(old, part)) kept += 1;
      }
      if (held) held.hidden = !kept;
      now.dataset.every = fresh.dataset.every;
    }
    // A screen reader hears of a new state, and not of every number.
    if (now.dataset.news !== fresh.dataset.news) news.textContent = fresh.dataset.news;
    shown().dataset.news = fresh.dataset.news;
  };

  const look = async () => {
    try {
      const address = new URL(location.href); // with the search or the page of a list that is open
      address.searchParams.set("fragment", "");
      const answer = await fetch(address);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-live]");
      if (answer.ok && answer.redirected) return; // signed out meanwhile
      if (answer.ok && fresh) show(fresh);
    } catch {
      // The server may be starting again: the next look will tell.
    }
    wait();
  };

  document.addEventListener("visibilitychange", () => {
    clearTimeout(waiting);
    if (!document.hidden && Number(shown().dataset.every)) look();
  });
  wait();
})();

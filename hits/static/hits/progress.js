// Reads the batch's page again while it runs, and shows the new numbers without moving anything else.
"use strict";

const EVERY_MS = 2000;

const look = async () => {
  const shown = document.querySelector("[data-progress]");
  if (shown.dataset.progress !== "running") return;
  try {
    const answer = await fetch("?progress");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-progress]");
    if (answer.ok && fresh) shown.replaceWith(fresh);
  } catch {
    // The server may be starting again: the next look will tell.
  }
  setTimeout(look, EVERY_MS);
};

setTimeout(look, EVERY_MS);

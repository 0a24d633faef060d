// Sends a report without leaving the page: what was begun on it stays.
"use strict";

for (const form of document.querySelectorAll("form[data-report]")) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("button");

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", body, credentials: "omit" });
      const { words, problem } = await answer.json();
      said.textContent = words ?? problem;
      if (problem) button.disabled = false;
    } catch {
      said.textContent = form.dataset.away;
      button.disabled = false;
    }
  });
}

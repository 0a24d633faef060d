// Shows the pair as a sentence while it is typed, and sends a form once.
"use strict";

(() => {
  const PAIR = ["normal_element", "shared_element", "weird_element"];

  const tell = (line, entries) => {
    const [normal, shared, weird] = entries.map((entry) => entry.value.trim());
    const words = { "%1": normal, "%2": shared, "%3": weird };
    const sentence = line.dataset.words.replaceAll(/%[123]/gu, (mark) => words[mark]);
    line.textContent = normal && shared && weird ? sentence : "";
  };

  const sendOnce = (form) => {
    let isSent = false;
    form.addEventListener("submit", (event) => {
      if (isSent) {
        event.preventDefault();
        return;
      }
      isSent = true;
      form.querySelector("[data-status]").textContent = form.dataset.sending;
    });
    // Back from the next page: the form may be sent again.
    addEventListener("pageshow", () => {
      isSent = false;
      form.querySelector("[data-status]").textContent = "";
    });
  };

  const form = document.querySelector("[data-send]");
  if (!form) return;
  sendOnce(form);
  document.querySelector("#faults")?.focus();
  const line = form.querySelector("[data-pair]");
  if (!line) return;
  const entries = PAIR.map((name) => form.elements[name]);
  for (const entry of entries) entry.addEventListener("input", () => tell(line, entries));
  tell(line, entries);
})();

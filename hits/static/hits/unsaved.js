// Nothing that was typed is left behind without a question, by whichever link or button.
"use strict";

(() => {
  const forms = document.querySelectorAll("form[data-unsaved]");
  const changed = new Set([...forms].filter((form) => form.dataset.unsaved === "refused"));
  for (const form of forms) {
    for (const kind of ["input", "change"]) form.addEventListener(kind, () => { changed.add(form); });
    form.addEventListener("submit", () => { changed.delete(form); });
  }
  addEventListener("beforeunload", (event) => {
    if (changed.size) event.preventDefault();
  });
})();

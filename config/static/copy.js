// Copies what stands in the named field, and says so. Without it the field can be copied by hand.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const news = button.parentElement.querySelector("[data-copied]") ?? document.querySelector("[data-copied]");
  const { said = "Copied.", refused = "The browser does not allow it: press Ctrl+C." } = news.dataset;
  button.hidden = !navigator.clipboard;
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      news.textContent = said;
    } catch {
      field.select();
      news.textContent = refused;
    }
  });
}

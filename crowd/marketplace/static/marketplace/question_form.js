// A form with problems starts at their list; writing what Other stands for chooses Other.
"use strict";

document.querySelector("[data-problems]")?.focus();

for (const other of document.querySelectorAll("[data-other]")) {
  const text = document.getElementById(other.dataset.other);
  text.addEventListener("input", () => {
    if (!text.value.trim()) return;
    if (other.matches("option")) other.selected = true;
    else other.checked = true;
  });
}

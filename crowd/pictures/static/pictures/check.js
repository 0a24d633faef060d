// One key for each button of the check; without this file the buttons do the same.
"use strict";

const STORED = "crowd.pictures.keys";
const WRITES = "input:not([type=checkbox]), select, textarea, [contenteditable]";
const keysOn = document.querySelector("[data-keys-on]");
const reasons = document.querySelector(".decide details");
let sent = false;

const isOff = () => localStorage.getItem(STORED) === "off";
keysOn.checked = !isOff();
keysOn.addEventListener("change", () => localStorage.setItem(STORED, keysOn.checked ? "on" : "off"));

const press = (control) => {
  if (!control.matches("details")) return control.click();
  control.open = !control.open;
  (control.open ? control.querySelector("button") : control.querySelector("summary"))?.focus();
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && reasons?.open) {
    reasons.open = false;
    return reasons.querySelector("summary").focus();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isOff() || sent || event.target.matches(WRITES)) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!control || ("inside" in control.dataset && !reasons.open)) return;
  event.preventDefault();
  press(control);
});

// A second press decides nothing more: the next page belongs to another picture.
for (const form of document.querySelectorAll("[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
addEventListener("pageshow", () => { sent = false; });

// One key for each button of a page where one thing after the other is decided; without this file the buttons do the
// same. data-key: the key of a button, a link or a details; data-inside: only while the details around it is open;
// data-once: a form after which nothing more is decided; data-keys-on: the box that switches the keys off.
"use strict";

const STORED = "crowd.keys";
const WRITES = "input:not([type=checkbox]), select, textarea, [contenteditable]";
const keysOn = document.querySelector("[data-keys-on]");
let sent = false;

const isOff = () => localStorage.getItem(STORED) === "off";
keysOn.checked = !isOff();
keysOn.addEventListener("change", () => localStorage.setItem(STORED, keysOn.checked ? "on" : "off"));

const press = (control) => {
  if (!control.matches("details")) return control.click();
  control.open = !control.open;
  const first = control.open ? control.querySelector("select, textarea, button") : control.querySelector("summary");
  first?.focus();
};

// Out of a field that is written in, and out of what was opened.
const leave = (target) => {
  const isWriting = target.matches(WRITES);
  const open = isWriting ? target.closest("details[data-key]") : document.querySelector(".decide details[open]");
  if (isWriting) target.blur();
  if (!open?.open) return;
  open.open = false;
  open.querySelector("summary").focus();
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return leave(event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isOff() || sent || event.target.matches(WRITES)) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!control || ("inside" in control.dataset && !control.closest("details").open)) return;
  event.preventDefault();
  press(control);
});

// A second press decides nothing more: the next page belongs to something else.
for (const form of document.querySelectorAll("[data-once]")) {
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
addEventListener("pageshow", () => { sent = false; });

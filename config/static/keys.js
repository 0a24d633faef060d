// One key for each button of a page where one thing after the other is decided; without this file the buttons do the
// same. data-key: the key of a button, a link or a details; data-inside: only while the details around it is open;
// data-once: a form after which nothing more is decided; data-keys-on: the box that switches the keys off.
// Everything is heard at the document: what `onward.js` swaps in needs no second start.
"use strict";

const STORED = "crowd.keys";
const WRITES = "input:not([type=checkbox]), select, textarea, [contenteditable]";
let sent = false;

const isOff = () => localStorage.getItem(STORED) === "off";
const begin = () => {
  sent = false;
  const keysOn = document.querySelector("[data-keys-on]");
  if (keysOn) keysOn.checked = !isOff();
};

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

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-keys-on]")) localStorage.setItem(STORED, target.checked ? "on" : "off");
});

// A second press decides nothing more: the next page belongs to something else.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once]")) return;
  if (sent) event.preventDefault();
  sent = true;
});
document.addEventListener("onward", begin);
addEventListener("pageshow", begin);
begin();

// One key for each button of the review page; without this file the buttons do the same.
"use strict";

const STORED = "crowd.review.keys";
const WRITES = "input:not([type=checkbox]), select, textarea, [contenteditable]";
const keysOn = document.querySelector("[data-keys-on]");
const reject = document.querySelector("details.reject");
let sent = false;

const isOff = () => localStorage.getItem(STORED) === "off";
keysOn.checked = !isOff();
keysOn.addEventListener("change", () => localStorage.setItem(STORED, keysOn.checked ? "on" : "off"));

const press = (control) => {
  if (!control.matches("details")) return control.click();
  control.open = !control.open;
  if (control.open) control.querySelector("select, textarea")?.focus();
};

const leave = (field) => {
  field.blur();
  if (reject?.contains(field)) reject.open = false;
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches(WRITES)) return leave(event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isOff() || sent || event.target.matches(WRITES)) return;
  const control = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!control) return;
  event.preventDefault();
  press(control);
});

// A second press decides nothing more: the next page belongs to another work.
for (const form of document.querySelectorAll("[data-decide]")) {
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
addEventListener("pageshow", () => { sent = false; });

const saved = document.querySelector("[data-saved]");
saved?.addEventListener("change", () => {
  document.querySelector("#reason").value = saved.value;
});

const undo = document.querySelector("[data-undo]");
if (undo) setTimeout(() => undo.remove(), Number(undo.dataset.undo) * 1000);

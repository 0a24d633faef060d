// A saved reason fills the field, Ctrl+Enter rejects, and what cannot be undone any more is not offered.
"use strict";

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-saved]")) document.querySelector("#reason").value = target.value;
});

// The button says so, and so it holds wherever one is while the reason is open, but in another field.
document.addEventListener("keydown", (event) => {
  const isMeant = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat;
  const form = document.querySelector("details.reject[open] form");
  const isElsewhere = event.target.matches("input, select, textarea") && !form?.contains(event.target);
  if (!isMeant || !form || isElsewhere) return;
  event.preventDefault();
  form.requestSubmit();
});

const endUndo = () => {
  const undo = document.querySelector("[data-undo]");
  if (undo) setTimeout(() => undo.remove(), Number(undo.dataset.undo) * 1000);
};
document.addEventListener("onward", endUndo);
endUndo();

// A saved reason fills the field, Ctrl+Enter there rejects, and what cannot be undone any more is not offered.
"use strict";

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-saved]")) document.querySelector("#reason").value = target.value;
});

document.addEventListener("keydown", (event) => {
  const isMeant = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat;
  if (!isMeant || !event.target.matches("#reason, #saved")) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

const endUndo = () => {
  const undo = document.querySelector("[data-undo]");
  if (undo) setTimeout(() => undo.remove(), Number(undo.dataset.undo) * 1000);
};
document.addEventListener("onward", endUndo);
endUndo();

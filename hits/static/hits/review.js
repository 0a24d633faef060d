// A saved reason fills the field, and what cannot be undone any more is not offered.
"use strict";

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-saved]")) document.querySelector("#reason").value = target.value;
});

const endUndo = () => {
  const undo = document.querySelector("[data-undo]");
  if (undo) setTimeout(() => undo.remove(), Number(undo.dataset.undo) * 1000);
};
document.addEventListener("onward", endUndo);
endUndo();

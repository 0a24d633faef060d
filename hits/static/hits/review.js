// A saved reason fills the field, and what cannot be undone any more is not offered.
"use strict";

const saved = document.querySelector("[data-saved]");
saved?.addEventListener("change", () => {
  document.querySelector("#reason").value = saved.value;
});

const undo = document.querySelector("[data-undo]");
if (undo) setTimeout(() => undo.remove(), Number(undo.dataset.undo) * 1000);

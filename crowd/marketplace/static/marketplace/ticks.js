// A list with ticks says how many there are, and ticks all at once. Without scripts each is ticked by hand.
"use strict";

for (const form of document.querySelectorAll("form[data-ticks]")) {
  const all = form.querySelector("[data-all]");
  const told = form.querySelector("[data-ticked]");
  const boxes = [...form.querySelectorAll("input[type=checkbox][name]")];
  if (!all || !told) continue;
  const tell = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    told.textContent = `${ticked} ${told.dataset.ticked}`;
    all.querySelector("input").checked = ticked === boxes.length;
  };
  form.addEventListener("change", (event) => {
    if (all.contains(event.target)) for (const box of boxes) box.checked = event.target.checked;
    tell();
  });
  all.hidden = false;
  tell();
}

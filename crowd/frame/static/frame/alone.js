// "None of these" stands alone among the boxes of its name: whichever was chosen last is meant.
addEventListener("input", ({ target }) => {
  if (target.type !== "checkbox" || !target.checked) return;
  const boxes = [...document.querySelectorAll(`input[name="${CSS.escape(target.name)}"]`)];
  for (const box of boxes) {
    if (box !== target && ("alone" in target.dataset || "alone" in box.dataset)) box.checked = false;
  }
}, { capture: true }); // before the page keeps what is chosen

// "None of them" and a mark exclude each other: the later one takes the earlier one back.
for (const marks of document.querySelectorAll("[data-marks]")) {
  const boxes = [...marks.querySelectorAll("input[type=checkbox]")];
  const none = boxes.find((box) => "none" in box.dataset);
  // Before the page keeps what is marked.
  marks.addEventListener(
    "input",
    (event) => {
      if (!event.target.checked) return;
      if (event.target === none) for (const box of boxes) box.checked = box === none;
      else none.checked = false;
    },
    { capture: true },
  );
}

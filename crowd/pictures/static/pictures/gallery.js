// Choosing many pictures: a click with Shift chooses all from the last one to this one; the arrow keys go from picture
// to picture, and with Shift choose on the way; one button chooses the page. Without this file the boxes do it singly.
"use strict";

const form = document.querySelector("[data-gallery]");
const boxes = [...form.querySelectorAll("[name=picture]")];
const every = form.querySelector("[name=all]");
const said = form.querySelector("[data-chosen]");
const page = form.querySelector("[data-page]");
let last = 0;
let isRange = false;

const chosen = () => boxes.filter((box) => box.checked).length;

const tell = () => {
  const count = every?.checked ? Number(every.dataset.total) : chosen();
  said.textContent = count === 1 ? "1 picture chosen" : `${count} pictures chosen`;
  page.textContent = chosen() === boxes.length ? "Choose none" : `Choose all ${boxes.length} on this page`;
};

const choose = (from, to, isChosen) => {
  const [first, end] = [Math.min(from, to), Math.max(from, to)];
  for (const box of boxes.slice(first, end + 1)) box.checked = isChosen;
};

// Pictures in one row of the page as it stands now.
const inRow = () => {
  const tops = boxes.map((box) => Math.round(box.closest("li").getBoundingClientRect().top));
  return tops.filter((top) => top === tops[0]).length;
};

const step = (key) => {
  if (key === "ArrowRight") return 1;
  if (key === "ArrowLeft") return -1;
  if (key === "ArrowDown") return inRow();
  return key === "ArrowUp" ? -inRow() : 0;
};

// A label's click comes again at its box, where not every browser says that Shift was held.
form.addEventListener("click", (event) => {
  if (event.target.closest("li label")) isRange = event.shiftKey || (isRange && event.target.matches("input"));
}, true);

form.addEventListener("mousedown", (event) => {
  if (event.shiftKey && event.target.closest("li label")) event.preventDefault();
});

form.addEventListener("change", (event) => {
  const at = boxes.indexOf(event.target);
  if (at >= 0) {
    if (isRange) choose(last, at, event.target.checked);
    last = at;
    isRange = false;
  }
  tell();
});

form.addEventListener("keydown", (event) => {
  const at = boxes.indexOf(event.target);
  const by = at < 0 ? 0 : step(event.key);
  if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const to = at + by;
  if (!boxes[to]) return;
  if (event.shiftKey) choose(at, to, true);
  boxes[to].focus();
  last = to;
  tell();
});

page.addEventListener("click", () => {
  choose(0, boxes.length - 1, chosen() < boxes.length);
  tell();
});

page.hidden = false;
tell();
// Back from the question, the browser has kept what was chosen.
addEventListener("pageshow", tell);

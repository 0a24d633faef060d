// Counts down to the deadline, and moves on when the frame says that the work was handed in.
"use strict";

const work = document.querySelector("[data-work]");
const clock = work.querySelector("[data-clock]");
const said = work.querySelector("[data-said]");
const next = work.querySelector("[data-next]");
// By the server's word of how long is left: the clock of this machine may be wrong.
const deadline = Date.now() + 1000 * Number(work.dataset.left);
const SOON = 300;
let before = Infinity;

const show = (left) => {
  const hours = Math.floor(left / 3600);
  const minutes = String(Math.floor((left % 3600) / 60)).padStart(2, "0");
  const seconds = String(left % 60).padStart(2, "0");
  clock.textContent = hours ? `${hours}:${minutes}:${seconds}` : `${minutes}:${seconds}`;
  clock.classList.toggle("soon", left <= SOON);
};

const tick = () => {
  const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
  show(left);
  for (const mark of [300, 60]) {
    if (left <= mark && before > mark && before !== Infinity) said.textContent = work.dataset[`at-${mark}`];
  }
  before = left;
  if (left) setTimeout(tick, 1000);
  else location.reload();
};
tick();

if (next) next.hidden = false; // a test has none

addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.data !== "submitted") return;
  if (next?.elements.next.checked) next.requestSubmit();
  else location.assign(work.dataset.done);
});

// Counts down to the deadline, and moves on when the frame says that the work was handed in.
"use strict";

const work = document.querySelector("[data-work]");
const clock = work.querySelector("[data-deadline]");
const deadline = new Date(clock.dateTime);

const tick = () => {
  const left = Math.max(0, Math.floor((deadline - Date.now()) / 1000));
  const hours = Math.floor(left / 3600);
  const minutes = String(Math.floor((left % 3600) / 60)).padStart(2, "0");
  const seconds = String(left % 60).padStart(2, "0");
  clock.textContent = hours ? `${hours}:${minutes}:${seconds}` : `${minutes}:${seconds}`;
  if (left) setTimeout(tick, 1000 - (Date.now() % 1000));
  else location.reload();
};
if (deadline > Date.now()) tick();

addEventListener("message", (event) => {
  if (event.origin === location.origin && event.data === "submitted") {
    location.assign(work.dataset.done);
  }
});

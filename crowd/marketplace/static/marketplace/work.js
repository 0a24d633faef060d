// Counts down to the deadline, hears where the requester is asked, says when the page in the frame was stopped on
// its way elsewhere, and moves on when the work was handed in.
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

// On a phone what can be done stands in a menu over the frame.
const menu = work.querySelector("[data-menu]");
const close = () => { menu.open = false; };
if (menu) {
  addEventListener("blur", close); // into the frame
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    close();
    menu.querySelector("summary").focus();
  });
}

// Only the page in the frame says where it is asked, and only on its own site.
const ask = work.querySelector("[data-ask]");
addEventListener("message", ({ data, origin }) => {
  const frame = document.querySelector("iframe");
  if (!ask || !URL.canParse(data?.ask) || origin !== new URL(frame.src).origin) return;
  if (new URL(data.ask).origin !== origin) return;
  ask.href = data.ask;
  ask.hidden = false;
});

// An old page that sends its form to Amazon is stopped by our policy, and would go blank without a word.
const astray = document.querySelector("[data-astray]");
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  if (!astray || effectiveDirective !== "frame-src") return;
  astray.querySelector("[data-place]").textContent = URL.canParse(blockedURI) ? new URL(blockedURI).host : blockedURI;
  astray.hidden = false;
});

addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.data !== "submitted") return;
  if (next?.elements.next.checked) next.requestSubmit();
  else location.assign(work.dataset.done);
});

// Holds Submit back until every question has its answers: as many as data-k says, or any. The server checks again.
import "./alone.js";
import { recallInputs, rememberInputs } from "./drafts.js";
import { isHeldBack, say, sendOnce } from "./sending.js";

const wanted = (question) => Number(question.dataset.k ?? 1);
const chosen = (question) => question.querySelectorAll("input:checked").length;
const isDone = (question) => ("k" in question.dataset ? chosen(question) === wanted(question) : chosen(question) > 0);

for (const form of document.querySelectorAll("[data-choose]")) {
  const questions = [...form.querySelectorAll("[data-question]")];
  // Practice is counted like the rest, and keeps nobody back.
  const counting = questions.filter((question) => !("practice" in question.dataset));
  const inputs = [...form.querySelectorAll("[data-question] input")];
  const button = form.querySelector("button[type=submit]");
  const { more, fewer, left, ready, work } = form.dataset;

  const advise = (open) => {
    const missing = wanted(open) - chosen(open);
    if ("k" in open.dataset) return (missing > 0 ? more : fewer).replace("%d", Math.abs(missing));
    return left.replace("%d", questions.indexOf(open) + 1);
  };

  const show = () => {
    for (const question of questions) {
      say(question.querySelector("[data-count]"), `${chosen(question)} / ${wanted(question)}`);
      question.toggleAttribute("data-done", isDone(question));
    }
    if (button.disabled) return;
    const open = counting.find((question) => !isDone(question));
    button.setAttribute("aria-disabled", String(Boolean(open)));
    say(form.querySelector("[data-status]"), open ? advise(open) : ready);
  };

  if (work) recallInputs(work, inputs);
  form.addEventListener("change", () => {
    show();
    if (work) rememberInputs(work, inputs);
  });
  sendOnce(form, { isReady: () => !isHeldBack(button), comeBack: show });
  show();
}

// Counts the picks of each question and keeps Submit back until every count is right. The server checks again.
import { recall, remember } from "../frame/drafts.js";

for (const form of document.querySelectorAll("[data-choose]")) {
  const questions = [...form.querySelectorAll("fieldset[data-k]")];
  // Practice is counted like the rest, and keeps nobody back.
  const counting = questions.filter((question) => !("practice" in question.dataset));
  const button = form.querySelector("button[type=submit]");
  const status = form.querySelector("[data-status]");
  let sending = false;

  const missing = (question) =>
    Number(question.dataset.k) - question.querySelectorAll("input:checked").length;

  const show = () => {
    for (const question of questions) {
      const k = Number(question.dataset.k);
      question.querySelector("[data-count]").textContent = `${k - missing(question)} / ${k}`;
      question.toggleAttribute("data-done", missing(question) === 0);
    }
    if (button.disabled) return;
    const ready = counting.every((question) => missing(question) === 0);
    button.setAttribute("aria-disabled", String(!ready));
    status.textContent = ready ? form.dataset.ready : advice();
  };

  const advice = () => {
    const left = counting.map(missing).find((count) => count !== 0);
    const words = left > 0 ? form.dataset.more : form.dataset.fewer;
    return words.replace("%d", Math.abs(left));
  };

  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const nameOf = (box) => `${box.name} ${box.value}`;
  const { work } = form.dataset;
  if (work) {
    const { picked = [] } = recall(work);
    for (const box of boxes) box.checked = picked.includes(nameOf(box));
  }

  form.addEventListener("change", () => {
    show();
    if (work) remember(work, { picked: boxes.filter((box) => box.checked).map(nameOf) });
  });
  form.addEventListener("submit", (event) => {
    if (sending || button.disabled || button.getAttribute("aria-disabled") === "true") {
      event.preventDefault();
      return;
    }
    sending = true;
    status.textContent = form.dataset.sending;
  });
  // The back button shows the page as it was left: let it be sent again, the server knows what it has.
  addEventListener("pageshow", () => {
    sending = false;
    show();
  });
  show();
}

// Keeps Submit back until every question has an answer, and what was begun for a reload. The server checks again.
import { recall, remember } from "../frame/drafts.js";

for (const form of document.querySelectorAll("[data-label]")) {
  const questions = [...form.querySelectorAll("[data-question]")];
  const boxes = [...form.querySelectorAll(".labels input")];
  const button = form.querySelector("button[type=submit]");
  const status = form.querySelector("[data-status]");
  const { work } = form.dataset;
  const nameOf = (box) => `${box.name} ${box.value}`;
  let sending = false;

  const show = () => {
    if (button.disabled) return;
    const open = questions.findIndex((question) => !question.querySelector("input:checked"));
    button.setAttribute("aria-disabled", String(open >= 0));
    status.textContent = open < 0 ? form.dataset.ready : form.dataset.left.replace("%d", open + 1);
  };

  // "None of these" stands alone: whichever was chosen last is meant.
  const keepAlone = (chosen) => {
    if (!chosen.checked) return;
    for (const box of boxes) {
      const other = box !== chosen && box.name === chosen.name;
      if (other && ("alone" in chosen.dataset || "alone" in box.dataset)) box.checked = false;
    }
  };

  if (work) {
    const { chosen = [] } = recall(work);
    for (const box of boxes) box.checked = chosen.includes(nameOf(box));
  }
  form.addEventListener("change", (event) => {
    keepAlone(event.target);
    show();
    if (work) remember(work, { chosen: boxes.filter((box) => box.checked).map(nameOf) });
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

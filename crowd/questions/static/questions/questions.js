// Says what is still missing, keeps what was begun for a reload, and sends it once.
import { isChoice, recallInputs, rememberInputs } from "../frame/drafts.js";
import { say, sendOnce } from "../frame/sending.js";

const form = document.querySelector("form[data-asking]");
const status = form.querySelector("[data-status]");
const questions = [...form.querySelectorAll("[data-question]")];
const work = form.dataset.work;
const all = [...form.querySelectorAll("[data-entry]")];

// Entries of one question, each with all of its inputs: radio buttons share one.
const entriesOf = (question) => {
  const entries = new Map();
  for (const input of question.querySelectorAll("[data-entry]")) {
    entries.set(input.dataset.entry, [...(entries.get(input.dataset.entry) ?? []), input]);
  }
  return entries;
};

const isMissing = (inputs) => {
  if (inputs.some((input) => "optional" in input.dataset)) return false;
  if (inputs[0].type === "radio") return inputs.every((input) => !input.checked);
  if (inputs[0].type === "checkbox") return "needed" in inputs[0].dataset && inputs.every((input) => !input.checked);
  return inputs[0].value.trim() === "";
};

const missingIn = (question) => [...entriesOf(question)].filter(([, inputs]) => isMissing(inputs));

const draw = () => {
  for (const question of questions) question.toggleAttribute("data-done", missingIn(question).length === 0);
  const number = questions.findIndex((question) => missingIn(question).length > 0) + 1;
  say(status, number ? form.dataset.left.replace("%d", number) : form.dataset.ready);
};

const tell = (question, entry, inputs) => {
  const words = isChoice(inputs[0]) ? form.dataset.choice : form.dataset.text;
  say(question.querySelector(`[data-wrong="${entry}"]`), words);
  for (const input of inputs) input.setAttribute("aria-invalid", "true");
};

const forgive = (input) => {
  const question = input.closest("[data-question]");
  const inputs = entriesOf(question).get(input.dataset.entry) ?? [];
  if (isMissing(inputs)) return;
  say(question.querySelector(`[data-wrong="${input.dataset.entry}"]`), "");
  for (const one of inputs) one.removeAttribute("aria-invalid");
};

const isComplete = () => {
  const missing = questions.flatMap((question) => missingIn(question).map(([entry, inputs]) => [question, entry, inputs]));
  for (const found of missing) tell(...found);
  missing[0]?.[2][0].focus();
  return missing.length === 0;
};

if (work) {
  // What the server shows again stands as it was sent.
  if (!("again" in form.dataset)) recallInputs(work, all);
  form.addEventListener("input", (event) => {
    if (event.target.dataset.entry) forgive(event.target);
    rememberInputs(work, all);
    draw();
  });
  sendOnce(form, { isReady: isComplete, comeBack: draw });
}

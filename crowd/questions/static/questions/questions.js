// Says what is still missing, keeps what was begun for a reload, and sends it once.
import { recall, remember } from "../frame/drafts.js";

const form = document.querySelector("form[data-asking]");
const status = form.querySelector("[data-status]");
const questions = [...form.querySelectorAll("[data-question]")];
const work = form.dataset.work;
const all = [...form.querySelectorAll("[data-entry]")];
let isSending = false;

const say = (element, text) => {
  if (element && element.textContent !== text) element.textContent = text;
};

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
  const number = questions.findIndex((question) => missingIn(question).length > 0) + 1;
  say(status, number ? form.dataset.left.replace("%d", number) : form.dataset.ready);
};

const isChoice = (input) => input.type === "radio" || input.type === "checkbox";

const draft = () => {
  const written = all.filter((input) => (isChoice(input) ? input.checked : input.value !== ""));
  return written.map((input) => [input.name, input.value]);
};

// What the server shows again stands as it was sent.
const restore = () => {
  for (const [name, value] of recall(work).written ?? []) {
    const found = all.find((input) => input.name === name && (!isChoice(input) || input.value === value));
    if (found && isChoice(found)) found.checked = true;
    else if (found) found.value = value;
  }
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

if (work) {
  if (!("again" in form.dataset)) restore();
  form.addEventListener("input", (event) => {
    if (event.target.dataset.entry) forgive(event.target);
    remember(work, { written: draft() });
    draw();
  });
  form.addEventListener("submit", (event) => {
    const missing = questions.flatMap((question) => missingIn(question).map(([entry, inputs]) => [question, entry, inputs]));
    for (const found of missing) tell(...found);
    if (missing.length || isSending) {
      event.preventDefault();
      missing[0]?.[2][0].focus();
      return;
    }
    isSending = true;
    say(status, form.dataset.sending);
  });
  // Back from the next page: it may be sent again, the server knows what it has.
  addEventListener("pageshow", () => {
    isSending = false;
    draw();
  });
}

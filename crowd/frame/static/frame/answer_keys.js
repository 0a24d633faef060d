// Keys for answers. data-key: the key of an answer; of several questions that have it the one at hand is meant, which
// is where the focus stands, or the first that is open. Enter goes on from what is answered: to the next open question,
// or by the button. data-keys: the line that says so; data-keys-on: its box, which switches the keys off.
import { isHeldBack } from "./sending.js";

const STORED = "crowd.keys";
const QUESTIONS = "[data-question], [data-slot]";
const WRITES = "input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]";
const PRESSED = "a, button, summary";
const keysOn = document.querySelector("[data-keys-on]");

// A frame may be denied every store: then the choice holds for this page.
const recallOff = () => {
  try {
    return localStorage.getItem(STORED) === "off";
  } catch {
    return false;
  }
};

const rememberOff = () => {
  try {
    localStorage.setItem(STORED, keysOn.checked ? "on" : "off");
  } catch {
    // See above.
  }
};

const show = () => {
  document.documentElement.toggleAttribute("data-keyed", keysOn.checked);
  for (const input of document.querySelectorAll('[data-key]:not([data-key=""])')) {
    if (keysOn.checked) input.setAttribute("aria-keyshortcuts", input.dataset.key);
    else input.removeAttribute("aria-keyshortcuts");
  }
};

const isSeen = (element) => element.getClientRects().length > 0;
const isOpen = (question) => !("done" in question.dataset);
const seen = () => [...document.querySelectorAll(QUESTIONS)].filter(isSeen);

const atHand = () => {
  const questions = seen();
  return questions.find((one) => one.contains(document.activeElement)) ?? questions.find(isOpen) ?? questions[0];
};

// Where one question asks several things alike, the first without an answer is meant.
const answerOf = (key) => {
  const question = atHand();
  const named = [...(question?.querySelectorAll(`[data-key="${CSS.escape(key)}"]`) ?? [])];
  const isAnswered = ({ name }) => question.querySelector(`[name="${CSS.escape(name)}"]:checked`) !== null;
  const { name } = document.activeElement;
  return named.find((one) => !isAnswered(one)) ?? named.find((one) => one.name === name) ?? named[0];
};

const choose = (key) => {
  const answer = answerOf(key);
  if (!answer || answer.disabled) return false;
  answer.focus();
  answer.click();
  return true;
};

const goOn = () => {
  const question = atHand();
  if (!question || isOpen(question)) return false;
  const next = seen().find(isOpen);
  const button = [...document.querySelectorAll(".submitbar button:not([data-back])")].find(isSeen);
  if (next) next.querySelector("input:not([type=hidden])").focus();
  else if (button && !isHeldBack(button)) button.click();
  return true;
};

if (keysOn) {
  keysOn.checked = !recallOff();
  keysOn.closest("[data-keys]").hidden = false;
  show();
  keysOn.addEventListener("change", () => {
    rememberOff();
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (!keysOn.checked || event.target.closest(WRITES)) return;
    const isDone = event.key === "Enter" ? !event.target.closest(PRESSED) && goOn() : choose(event.key.toLowerCase());
    if (isDone) event.preventDefault();
  });
}

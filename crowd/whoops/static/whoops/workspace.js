// Shows the pair as a sentence while it is typed, and sends a form once.
import { say, sendOnce } from "../frame/sending.js";

const PAIR = ["normal_element", "shared_element", "weird_element"];
const form = document.querySelector("[data-send]");
const line = form?.querySelector("[data-pair]");

const tell = () => {
  const [normal, shared, weird] = PAIR.map((name) => form.elements[name].value.trim());
  const words = { "%1": normal, "%2": shared, "%3": weird };
  const sentence = line.dataset.words.replaceAll(/%[123]/gu, (mark) => words[mark]);
  say(line, normal && shared && weird ? sentence : "");
};

document.querySelector("#faults")?.focus();
if (form) sendOnce(form, { isReady: () => true, comeBack: () => say(form.querySelector("[data-status]"), "") });
if (line) {
  for (const name of PAIR) form.elements[name].addEventListener("input", tell);
  tell();
}

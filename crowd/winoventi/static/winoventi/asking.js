// Says while somebody writes what is still missing or cannot be, and keeps what was begun for a reload.
import { recallInputs, rememberInputs } from "../frame/drafts.js";
import { say, sendOnce } from "../frame/sending.js";
import { filled, kept, rules } from "./rules.js";

// Nobody is told of a mistake in the middle of a word.
const PAUSE_MS = 600;

class Part {
  constructor(root, phrases) {
    this.root = root;
    this.phrases = phrases;
    this.said = root.querySelector("[data-said]");
    this.seen = root.querySelector("[data-seen]");
    this.inputs = [...root.querySelectorAll("[data-entry]")];
    this.entries = [...new Set(this.inputs.map((input) => input.dataset.entry))];
    this.isStrict = false;
    // What the server found, which may be more than is looked for here, holds until the entry is changed.
    this.told = new Map();
    for (const entry of this.entries) {
      const words = root.querySelector(`[data-wrong="${entry}"]`)?.textContent.trim();
      if (words) this.told.set(entry, { words, text: this.read(entry) });
    }
  }

  read(entry) {
    const inputs = this.inputs.filter((input) => input.dataset.entry === entry);
    if (inputs[0]?.type === "radio") return inputs.find((input) => input.checked)?.value ?? "";
    return inputs[0]?.value ?? "";
  }

  look() {
    const found = { missing: new Map(), wrong: new Map(), odd: [] };
    const tell = {
      entries: this.entries,
      wantsAll: "wantsAll" in this.root.dataset,
      missing: (entry, phrase) => found.missing.set(entry, phrase),
      wrong: (entry, phrase) => found.wrong.set(entry, phrase),
      odd: (phrase) => found.odd.push(phrase),
    };
    rules[this.root.dataset.part]((entry) => this.read(entry), this.root.dataset, tell);
    this.found = found;
    return found.missing.size + found.wrong.size === 0;
  }

  // What can be seen at a glance, at every key.
  draw() {
    const sentence = this.read("sentence");
    const state = kept(sentence, this.root.dataset);
    for (const rule of this.root.querySelectorAll("[data-rule]")) {
      rule.classList.toggle("kept", state[rule.dataset.rule]);
    }
    const box = this.root.querySelector("[data-filled]");
    if (!box) return;
    for (const line of box.querySelectorAll("[data-with]")) {
      line.textContent = filled(sentence, this.read(line.dataset.with));
      line.closest("p").hidden = line.textContent === "";
    }
    box.hidden = [...box.querySelectorAll("p")].every((line) => line.hidden);
  }

  // What is mended is forgiven at once: nobody looks for a mistake that is gone.
  forgive() {
    for (const entry of this.entries) if (!this.fault(entry)) this.mark(entry, "");
  }

  fault(entry) {
    const { missing, wrong } = this.found;
    const phrase = wrong.get(entry) ?? (this.isStrict ? missing.get(entry) : undefined);
    const told = this.told.get(entry);
    const stands = told && told.text === this.read(entry) ? told.words : "";
    return phrase ? this.phrases[phrase] : stands;
  }

  // What is said in words, after a pause. Of what is said while the page leaves, nobody has seen anything.
  tell({ isLeaving = false } = {}) {
    const { odd } = this.found;
    for (const entry of this.entries) this.mark(entry, this.fault(entry));
    say(this.said, odd.map((phrase) => this.phrases[phrase]).join(" "));
    if (this.seen && !isLeaving) this.seen.value = odd.length ? "yes" : "";
  }

  mark(entry, words) {
    say(this.root.querySelector(`[data-wrong="${entry}"]`), words);
    for (const input of this.inputs.filter((one) => one.dataset.entry === entry)) {
      if (words) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  get firstFault() {
    const { missing, wrong } = this.found;
    return this.inputs.find(({ dataset: { entry } }) => missing.has(entry) || wrong.has(entry));
  }
}

class Page {
  constructor(form) {
    this.form = form;
    this.work = form.dataset.work;
    this.button = form.querySelector("button[type=submit]");
    this.status = form.querySelector("[data-status]");
    this.questions = [...form.querySelectorAll("[data-question]")];
    this.parts = [...form.querySelectorAll("[data-part]")].map((root) => new Part(root, form.dataset));
    this.fields = this.parts.flatMap((part) => part.inputs);
    this.timer = 0;
  }

  // The walk asks for a sentence about the word that was written a step before.
  follow() {
    const first = this.form.querySelector('[data-entry="exception_1"]');
    for (const part of this.form.querySelectorAll("[data-follows]")) {
      part.dataset.exception = first.value.trim();
      for (const place of part.querySelectorAll("[data-own]")) {
        place.textContent = first.value.trim() || place.dataset.own;
      }
    }
  }

  refresh() {
    this.follow();
    this.isReady = this.parts.map((part) => part.look()).every(Boolean);
    for (const question of this.questions) question.toggleAttribute("data-done", !this.faults(question));
    for (const part of this.parts) {
      part.draw();
      part.forgive();
    }
    this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(), PAUSE_MS);
  }

  tell({ isLeaving = false } = {}) {
    clearTimeout(this.timer);
    for (const part of this.parts) part.tell({ isLeaving });
    if (this.button.disabled) return;
    const { ready, left } = this.form.dataset;
    const open = this.questions.findIndex((one) => this.faults(one));
    say(this.status, this.isReady ? ready : left.replace("%d", open + 1));
  }

  faults(question) {
    return this.parts.some((part) => question.contains(part.root) && part.firstFault);
  }

  start() {
    // What the server shows again is newer than any draft.
    if (this.work && !("again" in this.form.dataset)) recallInputs(this.work, this.fields);
    this.form.addEventListener("input", () => {
      this.refresh();
      if (this.work) rememberInputs(this.work, this.fields);
    });
    // What is said moves what stands below it: never between pressing a button and letting it go.
    addEventListener("pointerdown", () => clearTimeout(this.timer));
    addEventListener("pointerup", () => this.wait());
    sendOnce(this.form, { isReady: () => this.isComplete(), comeBack: () => this.show() });
  }

  show() {
    this.refresh();
    this.tell();
  }

  isComplete() {
    this.refresh();
    for (const part of this.parts) part.isStrict = true;
    this.tell({ isLeaving: this.isReady });
    if (!this.isReady) this.parts.map((part) => part.firstFault).find(Boolean)?.focus();
    return this.isReady && !this.button.disabled;
  }
}

for (const form of document.querySelectorAll("form[data-asking]")) new Page(form).start();

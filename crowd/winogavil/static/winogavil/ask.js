// Puts a word to the model, once, and waits for its verdict. The server keeps both; this page only shows them.
import { recall, remember } from "../frame/drafts.js";
import { isHeldBack, say, sendOnce } from "../frame/sending.js";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The verdict is mostly there within a tenth of a second; whoever waits longer asks more rarely.
const FIRST_MS = 40;
const SLOWEST_MS = 500;
const LATE_MS = 5000;
// Nothing more is heard of these: the verdict is there, or the page is a preview and asks no model.
const LAST = new Set(["answered", "unasked"]);
// The server's rule in short, so that nobody is refused by surprise; the server decides.
const WORD = /^[\p{L}'’-]{2,30}$/u;

class Slot {
  constructor(fieldset, game) {
    this.game = game;
    this.root = fieldset;
    this.number = Number(fieldset.dataset.slot);
    this.cue = fieldset.querySelector("[data-cue]");
    this.button = fieldset.querySelector("[data-test]");
    this.said = fieldset.querySelector("[data-said]");
    this.wrong = fieldset.querySelector("[data-wrong]");
    this.rules = fieldset.querySelector("[data-rules]");
    this.boxes = [...fieldset.querySelectorAll("[data-place]")];
    this.asked = "asked" in fieldset.dataset;
    this.thinking = false;
  }

  get chosen() {
    return this.boxes.flatMap((box, place) => (box.checked ? [place] : []));
  }

  get word() {
    return this.cue.value.trim();
  }

  get draft() {
    return { cue: this.cue.value, chosen: this.chosen };
  }

  set draft({ cue = "", chosen = [] }) {
    this.cue.value = cue;
    this.boxes.forEach((box, place) => { box.checked = chosen.includes(place); });
  }

  lock() {
    for (const control of [this.cue, this.button, ...this.boxes]) control.disabled = true;
    this.rules.hidden = true;
  }

  unlock() {
    for (const control of [this.cue, this.button, ...this.boxes]) control.disabled = false;
    this.rules.hidden = false;
  }

  say(words) {
    say(this.said, words);
  }

  // A refusal stands above the button, at the word that has to be changed.
  refuse(words) {
    this.say("");
    say(this.wrong, words);
    this.cue.setAttribute("aria-invalid", "true");
    this.cue.focus();
  }

  forgive() {
    say(this.wrong, "");
    this.cue.removeAttribute("aria-invalid");
  }

  // Each rule with a sign of its own; what is still missing keeps the button back.
  check() {
    const { fewest, most } = this.root.dataset;
    const count = this.chosen.length;
    const kept = {
      count: count >= Number(fewest) && count <= Number(most),
      word: WORD.test(this.word),
      other: this.word !== "" && !this.game.slots.some((slot) => slot !== this && slot.asked && same(slot.word, this.word)),
    };
    for (const rule of this.rules.querySelectorAll("[data-rule]")) {
      rule.classList.toggle("kept", kept[rule.dataset.rule]);
    }
    this.rules.querySelector("[data-count]").textContent = `(${count})`;
    const ready = Object.values(kept).every(Boolean);
    this.button.setAttribute("aria-disabled", String(!ready));
    return ready;
  }

  show({ chosen, text, state, predicted = [], fool, bonus, earns }) {
    const words = this.game.form.dataset;
    if (text) this.draft = { cue: text, chosen };
    if (state !== "answered") {
      this.say(words[state]);
      return;
    }
    const said = [words.fooled.replace("%d", fool).replace("%%", "%")];
    if (bonus) said.push(Number(bonus) > 0 ? words.bonus.replace("%s", earns ?? bonus) : words.nobonus);
    this.say(said.join(" "));
    this.boxes.forEach((box, place) => {
      const [theirs, ours] = [predicted.includes(place), chosen.includes(place)];
      if (theirs && ours) this.mark(box, "found");
      else if (theirs) this.mark(box, "taken");
      else if (ours) this.mark(box, "missed");
    });
    this.root.dispatchEvent(new CustomEvent("verdict", { bubbles: true, detail: { chosen, predicted, fool } }));
  }

  mark(box, kind) {
    const badge = box.closest("label").querySelector("[data-badge]");
    const sign = { found: "✓", taken: "✗", missed: "–" }[kind];
    badge.textContent = `${sign} ${this.game.form.dataset[kind]}`;
    badge.classList.add(kind);
    badge.hidden = false;
  }

  async wait(first) {
    try {
      await this.answered(first);
    } finally {
      this.think(false);
    }
  }

  // Submit is kept back while the model thinks, so that nobody misses the verdict; a late one holds nobody.
  think(thinking) {
    this.thinking = thinking;
    this.game.refresh();
  }

  async answered(first) {
    let state = first;
    let ms = FIRST_MS;
    while (!LAST.has(state.state)) {
      this.show(state);
      this.think(state.state === "waiting");
      await pause(state.state === "late" ? LATE_MS : ms);
      ms = Math.min(ms * 1.5, SLOWEST_MS);
      try {
        state = await this.game.call(this.game.form.dataset.verdict, [["slot", this.number]]);
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
        state = { state: "away" };
      }
    }
    this.show(state);
  }

  async ask() {
    if (!this.check()) return;
    this.lock();
    this.forgive();
    this.say(this.game.form.dataset.waiting);
    const chosen = this.chosen.map((place) => ["chosen", place]);
    try {
      const state = await this.game.call(
        this.game.form.dataset.ask, [["slot", this.number], ["cue", this.word], ...chosen],
      );
      this.asked = true;
      this.game.refresh();
      await this.wait(state);
      this.said.scrollIntoView({ block: "nearest" });
    } catch (problem) {
      // A network that failed may have carried the question: asking again is answered with what is stored.
      if (!this.asked) this.unlock();
      if (problem instanceof TypeError) this.say(this.game.form.dataset.away);
      else this.refuse(problem.message);
    }
  }

  start() {
    this.button.addEventListener("click", () => this.ask());
    this.root.addEventListener("input", () => this.game.refresh());
    this.cue.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.ask();
    });
    if (!this.asked) return;
    this.lock();
    this.wait({ state: "waiting" }).catch((problem) => this.say(problem.message));
  }
}

class Game {
  constructor(form) {
    this.form = form;
    this.work = form.dataset.work;
    this.button = form.querySelector("button[type=submit]");
    this.status = form.querySelector("[data-status]");
    this.slots = [...form.querySelectorAll("[data-slot]")].map((fieldset) => new Slot(fieldset, this));
  }

  async call(address, fields) {
    const body = new URLSearchParams({ token: this.form.elements.token.value });
    for (const [name, value] of fields) body.append(name, value);
    const answer = await fetch(address, { method: "POST", body, credentials: "omit" });
    const state = await answer.json();
    if (state.token) this.form.elements.token.value = state.token;
    if (state.problem && answer.status !== 429) throw new Error(state.problem);
    return state.problem ? { state: "away" } : state;
  }

  // One word after the other: the next one shows as soon as this one is stored. In a test each has its own page.
  refresh() {
    this.slots.forEach((slot, number) => {
      slot.root.hidden = !("free" in this.form.dataset) && number > 0 && !this.slots[number - 1].asked;
      slot.root.toggleAttribute("data-done", slot.asked);
      if (!slot.asked) slot.check();
    });
    const open = this.slots.find((slot) => !slot.asked);
    const thinking = this.slots.some((slot) => slot.thinking);
    this.button.setAttribute("aria-disabled", String(Boolean(open) || thinking));
    const { ready, untested, waiting } = this.form.dataset;
    if (open) this.status.textContent = untested.replace("%d", open.number);
    else this.status.textContent = thinking ? waiting : ready;
    const drafts = this.slots.filter((slot) => !slot.asked).map((slot) => [slot.number, slot.draft]);
    remember(this.work, Object.fromEntries(drafts));
  }

  start() {
    const drafts = recall(this.work);
    for (const slot of this.slots) {
      if (!slot.asked && drafts[slot.number]) slot.draft = drafts[slot.number];
      slot.start();
    }
    this.refresh();
    sendOnce(this.form, { isReady: () => !isHeldBack(this.button) });
  }
}

const same = (one, other) => one.toLocaleLowerCase() === other.toLocaleLowerCase();

for (const form of document.querySelectorAll("form[data-ask]")) new Game(form).start();

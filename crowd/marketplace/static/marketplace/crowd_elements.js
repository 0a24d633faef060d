// Elements that requesters' pages know from Amazon's crowd-html-elements.js, by the same names, for texts and
// choices. See docs/questions.md; the names are listed in crowd/marketplace/questions/crowd_elements.py too.
"use strict";
{
  const PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE";
  const ACCEPT_FIRST = "You must ACCEPT the HIT before you can submit the results.";
  const SUBMITTING = 'crowd-button[form-action="submit"], crowd-button[type="submit"]';
  const LONGEST_NAME = 200;
  const parameters = new URLSearchParams(location.search);
  const isPreview = parameters.get("assignmentId") === PREVIEW;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { display: block; box-sizing: border-box; margin-block: 1rem; }
    :host(:is(crowd-button, crowd-icon-button, crowd-checkbox, crowd-radio-button, crowd-toggle-button)) {
      display: inline-block; margin: 0 1rem 0.25rem 0; vertical-align: top;
    }
    :host(:is(crowd-form, crowd-radio-group, crowd-tab)) { margin: 0; }
    :host([hidden]), [hidden] { display: none !important; }
    *, ::before { box-sizing: border-box; }
    input, textarea, button { font: inherit; }
    button, a.button {
      display: inline-block; min-height: 2.75rem; padding: 0.5rem 1.25rem; border: 1px solid #1d4f91;
      border-radius: 0.375rem; background: #fff; color: #1d4f91; cursor: pointer; line-height: 1.5;
      text-align: center; text-decoration: none;
    }
    .primary { background: #1d4f91 !important; color: #fff !important; }
    button:hover, a.button:hover { box-shadow: inset 0 0 0 1px currentcolor; }
    button:disabled { border-color: #595959; background: #ececec !important; color: #595959 !important; cursor: auto; }
    .link { padding-inline: 0.25rem; border-color: transparent; background: none; color: inherit; text-decoration: underline; }
    :focus-visible { outline: 3px solid #1d4f91; outline-offset: 2px; box-shadow: 0 0 0 2px #fff; }
    label.text { display: block; max-width: 48rem; }
    .caption { display: block; margin-bottom: 0.25rem; }
    input.text, textarea {
      display: block; width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid #707070;
      border-radius: 0.375rem; background: #fff; color: #1b1b1b; line-height: 1.5;
    }
    textarea { resize: vertical; field-sizing: content; }
    ::placeholder { color: #5c5c5c; opacity: 1; }
    .note { margin: 0.25rem 0 0; font-size: 0.875em; }
    .problem { font-weight: bold; }
    .problem:empty { display: none; }
    .choice { display: flex; gap: 0.625rem; align-items: flex-start; padding: 0.375rem 0; cursor: pointer; }
    .choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; accent-color: #1d4f91; }
    [role="switch"] {
      appearance: none; position: relative; width: 2.5rem !important; height: 1.375rem !important; border: 2px solid #595959;
      border-radius: 1rem; background: #fff;
    }
    [role="switch"]::before {
      content: ""; position: absolute; inset-block: 0.125rem; left: 0.125rem; width: 0.875rem; border-radius: 50%;
      background: #595959;
    }
    [role="switch"]:checked { border-color: #1d4f91; background: #1d4f91; }
    [role="switch"]:checked::before { left: 1.25rem; background: #fff; }
    .slider { display: flex; gap: 1rem; align-items: center; max-width: 32rem; min-height: 2.75rem; }
    .slider input { flex: auto; min-width: 0; height: 1.5rem; margin: 0; accent-color: #1d4f91; }
    output { min-width: 3ch; font-weight: bold; text-align: end; }
    img { display: block; max-width: 100%; height: auto; }
    img.icon { max-height: 1.5rem; }
    h3 { margin: 1rem 0 0.5rem; font-size: 1.05em; }
    ::slotted(*) { max-width: 100%; }
    dialog {
      width: min(44rem, calc(100% - 2rem)); padding: 1.25rem; border: 1px solid #707070; border-radius: 0.5rem;
      background: #fff; color: #1b1b1b;
    }
    dialog::backdrop { background: rgb(0 0 0 / 50%); }
    dialog ::slotted(*) { display: block; }
    .card { padding: 1rem; border: 1px solid #8a8a8a; border-radius: 0.5rem; box-shadow: 0 1px 4px rgb(0 0 0 / 20%); }
    .alert {
      display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: 0.75rem 1rem;
      border-left: 0.375rem solid #1d4f91; border-radius: 0.25rem; background: #e8f0fa; color: #1b1b1b;
    }
    .success { border-color: #1c6b3c; background: #e6f4ea; }
    .warning { border-color: #8a5a00; background: #fdf3dc; }
    .error { border-color: #a4201c; background: #fbe9e8; }
    details { margin: 0.75rem 0; padding: 0 1rem 0.5rem; border: 1px solid #8a8a8a; border-radius: 0.5rem; }
    summary { margin-inline: -1rem; padding: 0.75rem 1rem; font-weight: bold; cursor: pointer; }
    fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
    fieldset label.text { margin-top: 0.75rem; }
    .classifier { display: flex; margin-block: 1.5rem; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
    .classifier > * { flex: 1 1 14rem; min-width: 0; }
    .classifier > .target { flex: 3 1 20rem; overflow-wrap: anywhere; }
    .aside { padding: 1rem; border: 1px solid #8a8a8a; border-radius: 0.5rem; }
    .aside p:last-of-type { margin-bottom: 0; }
    .classifier ::slotted(*) { display: block; }
    h2, legend { margin: 0 0 0.75rem; padding: 0; font-size: 1.2em; font-weight: bold; line-height: 1.3; }
  `);

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value || value === 0) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  // Elements of the page may be read before what is in them.
  const whenRead = (act) => {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", act, { once: true });
    else queueMicrotask(act);
  };

  const wordsOf = (node) => {
    if (node.nodeType === Node.COMMENT_NODE || node.matches?.("script, style")) return "";
    return node.textContent.replaceAll(/\s+/gu, " ").trim();
  };

  // What stands before a field usually asks for it.
  const wordsBefore = (element) => {
    for (let at = element; at && !at.matches("body, crowd-form"); at = at.parentElement) {
      for (let node = at.previousSibling; node; node = node.previousSibling) {
        const words = wordsOf(node);
        if (words) return words.slice(-LONGEST_NAME);
      }
    }
    return "";
  };

  class Drawn extends HTMLElement {
    static delegatesFocus = false;

    constructor() {
      super();
      this.attachShadow({ mode: "open", delegatesFocus: this.constructor.delegatesFocus });
      this.shadowRoot.adoptedStyleSheets = [sheet];
    }

    connectedCallback() {
      if (!this.isDrawn) this.draw();
      this.isDrawn = true;
      this.refresh();
    }

    attributeChangedCallback() {
      if (this.isDrawn) this.refresh();
    }

    refresh() {}

    get disabled() {
      return this.hasAttribute("disabled");
    }

    set disabled(value) {
      this.toggleAttribute("disabled", Boolean(value));
    }

    get name() {
      return this.getAttribute("name") ?? "";
    }
  }

  // An answer with one control, which the browser checks and names as any other.
  class Field extends Drawn {
    static delegatesFocus = true;
    static formAssociated = true;
    static observedAttributes = ["disabled", "required", "value", "checked"];

    constructor() {
      super();
      this.internals = this.attachInternals();
    }

    draw() {
      this.control = this.drawControl();
      this.control.addEventListener("change", () => {
        this.hasChanged = true;
        this.dispatchEvent(new Event("change", { bubbles: true }));
      });
      this.control.addEventListener("input", () => {
        this.hasChanged = true;
      });
      whenRead(() => this.nameControl());
    }

    nameControl() {
      if (this.getAttribute("label") || this.textContent.trim()) return;
      const labels = [...this.internals.labels].map(wordsOf).join(" ");
      const given = this.getAttribute("aria-label") || labels || wordsBefore(this);
      this.control.setAttribute("aria-label", given || this.getAttribute("placeholder") || this.name);
    }

    refresh() {
      this.control.disabled = this.disabled;
      this.control.required = this.hasAttribute("required");
      if (!this.hasChanged) this.setDefault();
    }

    reset() {
      this.hasChanged = false;
      this.refresh();
    }

    checkValidity() {
      return this.control.checkValidity();
    }

    reportValidity() {
      return this.control.reportValidity();
    }
  }

  class TextField extends Field {
    draw() {
      this.problem = make("p", { class: "note problem", role: "alert" });
      super.draw();
      const label = this.getAttribute("label");
      const caption = label ? [make("span", { class: "caption" }, label)] : [];
      this.shadowRoot.append(make("label", { class: "text" }, ...caption, this.control), this.problem);
      const message = this.getAttribute("error-message") ?? "";
      this.control.addEventListener("invalid", () => this.problem.replaceChildren(message));
      this.control.addEventListener("input", () => this.problem.replaceChildren());
      if (this.hasAttribute("auto-validate") && this.getAttribute("allowed-pattern")) this.allowOnly(message);
      if (this.hasAttribute("auto-focus")) whenRead(() => this.control.focus());
    }

    allowOnly(message) {
      const allowed = new RegExp(`^(?:${this.getAttribute("allowed-pattern")})$`, "u");
      this.control.addEventListener("beforeinput", (event) => {
        if (!event.data || [...event.data].every((sign) => allowed.test(sign))) return;
        event.preventDefault();
        this.problem.replaceChildren(message);
      });
    }

    limits() {
      return {
        placeholder: this.getAttribute("placeholder"),
        minlength: this.getAttribute("min-length"),
        maxlength: this.getAttribute("max-length"),
      };
    }

    setDefault() {
      this.control.value = this.getAttribute("value") ?? "";
    }

    get value() {
      return this.control?.value ?? this.getAttribute("value") ?? "";
    }

    set value(value) {
      this.setAttribute("value", value);
      if (this.control) this.control.value = value;
    }

    // Amazon leaves out what nobody has written.
    collect(answers) {
      if (this.value) answers[this.name] = this.value;
    }
  }

  class Input extends TextField {
    drawControl() {
      return make("input", { class: "text", type: this.getAttribute("type") || "text", ...this.limits() });
    }

    setDefault() {
      if (this.control.type !== "file") super.setDefault();
    }
  }

  class TextArea extends TextField {
    drawControl() {
      const area = make("textarea", this.limits());
      area.style.minHeight = `calc(${Number(this.getAttribute("rows")) || 1} * 1.5em + 1.125rem)`;
      const most = Number(this.getAttribute("max-rows"));
      if (most) area.style.maxHeight = `calc(${most} * 1.5em + 1.125rem)`;
      return area;
    }

    draw() {
      super.draw();
      if (!this.hasAttribute("char-counter")) return;
      const count = make("p", { class: "note" });
      const tell = () => count.replaceChildren(`${this.value.length} characters`);
      this.control.addEventListener("input", tell);
      whenRead(tell);
      this.shadowRoot.append(count);
    }
  }

  // A checkbox, a switch or a radio button: a name, and whether each of its values is on.
  class Choice extends Field {
    drawControl() {
      return make("input", { type: "checkbox" });
    }

    draw() {
      super.draw();
      this.shadowRoot.append(make("label", { class: "choice" }, this.control, make("span", {}, make("slot"))));
    }

    setDefault() {
      this.control.checked = this.hasAttribute("checked");
    }

    get checked() {
      return this.control?.checked ?? this.hasAttribute("checked");
    }

    set checked(value) {
      this.toggleAttribute("checked", Boolean(value));
      if (this.control) this.control.checked = Boolean(value);
    }

    get value() {
      return this.getAttribute("value") ?? "on";
    }

    set value(value) {
      this.setAttribute("value", value);
    }

    collect(answers) {
      answers[this.name] = { ...answers[this.name], [this.value]: this.checked };
    }
  }

  class Toggle extends Choice {
    drawControl() {
      return make("input", { type: "checkbox", role: "switch" });
    }
  }

  class RadioButton extends Choice {
    drawControl() {
      return make("input", { type: "radio" });
    }

    get group() {
      return this.closest("crowd-radio-group");
    }

    refresh() {
      super.refresh();
      if (!this.group) return;
      this.control.required = false;
      this.group.refresh();
    }

    get checked() {
      return super.checked;
    }

    set checked(value) {
      super.checked = value;
      if (value) this.group?.choose(this);
    }
  }

  const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

  // Each button is in a tree of its own, where browsers see no group: this does what they do for one.
  class RadioGroup extends Drawn {
    static observedAttributes = ["required"];

    draw() {
      this.shadowRoot.append(make("slot"));
      this.setAttribute("role", "radiogroup");
      this.addEventListener("change", ({ target }) => this.choose(target));
      this.addEventListener("keydown", (event) => this.step(event));
      whenRead(() => {
        const label = this.getAttribute("aria-label") || wordsBefore(this) || this.name;
        if (label && !this.hasAttribute("aria-labelledby")) this.setAttribute("aria-label", label);
        this.refresh();
      });
    }

    get buttons() {
      return [...this.querySelectorAll("crowd-radio-button")].filter(({ control }) => control);
    }

    choose(chosen) {
      const { buttons } = this;
      if (!buttons.includes(chosen)) return;
      for (const button of buttons) {
        button.hasChanged = true;
        button.control.checked = button === chosen;
      }
      this.refresh();
    }

    step(event) {
      const buttons = this.buttons.filter(({ disabled }) => !disabled);
      const at = buttons.indexOf(event.target);
      if (at < 0 || !STEPS[event.key]) return;
      event.preventDefault();
      const next = buttons[(at + STEPS[event.key] + buttons.length) % buttons.length];
      next.focus();
      next.control.click();
    }

    refresh() {
      const { buttons } = this;
      const usable = buttons.filter(({ disabled }) => !disabled);
      const chosen = usable.find(({ checked }) => checked);
      const isRequired = [this, ...buttons].some((one) => one.hasAttribute("required"));
      for (const [index, { control }] of buttons.entries()) {
        control.tabIndex = control === (chosen ?? usable[0])?.control ? 0 : -1;
        control.setAttribute("aria-posinset", index + 1);
        control.setAttribute("aria-setsize", buttons.length);
        control.setCustomValidity("");
      }
      if (isRequired && !chosen) usable[0]?.control.setCustomValidity("Choose one of these.");
    }
  }

  class Slider extends Field {
    drawControl() {
      return make("input", { type: "range" });
    }

    draw() {
      super.draw();
      this.told = make("output");
      this.shadowRoot.append(make("div", { class: "slider" }, this.control, this.told));
      this.control.addEventListener("input", () => this.tell());
    }

    setDefault() {
      for (const limit of ["min", "max", "step"]) this.control[limit] = this.getAttribute(limit) ?? "";
      this.control.value = this.getAttribute("value") || this.control.min || 0;
      this.tell();
    }

    tell() {
      this.told.replaceChildren(this.control.value);
    }

    get value() {
      return Number(this.control?.value ?? this.getAttribute("value"));
    }

    set value(value) {
      this.hasChanged = false;
      this.setAttribute("value", value);
    }

    collect(answers) {
      answers[this.name] = this.value;
    }
  }

  // Puts the element's children by their tags into slots of its shadow; the others stay in the one without a name.
  const arrange = (host, slots) => {
    const rest = make("slot");
    const sort = () => {
      for (const child of host.children) {
        const slot = slots[child.localName];
        if (slot && child.slot !== slot) child.slot = slot;
      }
    };
    rest.addEventListener("slotchange", sort);
    sort();
    return rest;
  };

  const isEmpty = (slot) => slot.assignedNodes().length === 0;

  // A button and the window that it opens over the page; Escape and a button in it close it.
  const drawWindow = ({ text, heading, isLink, content }) => {
    const close = make("button", { type: "button" }, "Close");
    const dialog = make("dialog", { "aria-label": heading }, make("h2", {}, heading), ...content, make("p", {}, close));
    const open = make("button", { type: "button", class: isLink && "link" }, text);
    open.addEventListener("click", () => dialog.showModal());
    close.addEventListener("click", () => dialog.close());
    return { open, dialog };
  };

  // Parts whose slots are empty are not shown.
  const watchSlots = (slots, tell) => {
    for (const slot of slots) slot.addEventListener("slotchange", tell);
    whenRead(tell);
  };

  class Instructions extends Drawn {
    static slots = {
      "short-summary": "summary",
      "detailed-instructions": "detailed",
      "positive-example": "positive",
      "negative-example": "negative",
    };

    draw() {
      const parts = { summary: "Summary", detailed: "Detailed instructions", positive: "Good examples", negative: "Bad examples" };
      const slots = Object.keys(parts).map((name) => make("slot", { name }));
      const sections = slots.map((slot) => make("section", {}, make("h3", {}, parts[slot.name]), slot));
      const { open, dialog } = drawWindow({
        text: this.getAttribute("link-text") || "Click for instructions",
        heading: "Instructions",
        isLink: this.getAttribute("link-type") !== "button",
        content: [...sections, arrange(this, Instructions.slots)],
      });
      this.shadowRoot.append(open, dialog);
      watchSlots(slots, () => {
        for (const [index, slot] of slots.entries()) sections[index].hidden = isEmpty(slot);
      });
    }
  }

  class Modal extends Drawn {
    draw() {
      const text = this.getAttribute("link-text") || "Click to open modal";
      const isLink = this.getAttribute("link-type") !== "button";
      const { open, dialog } = drawWindow({ text, heading: text, isLink, content: [make("slot")] });
      this.dialog = dialog;
      this.shadowRoot.append(open, dialog);
    }

    open() {
      if (!this.dialog.open) this.dialog.showModal();
    }

    close() {
      this.dialog.close();
    }
  }

  class Card extends Drawn {
    draw() {
      const [heading, image] = [this.getAttribute("heading"), this.getAttribute("image")];
      const card = make("div", { class: "card" });
      if (image) card.append(make("img", { src: image, alt: heading ?? "" }));
      if (heading) card.append(make("h2", {}, heading));
      card.append(make("slot"));
      this.shadowRoot.append(card);
    }
  }

  class Alert extends Drawn {
    draw() {
      const kinds = { info: "Note", success: "Success", warning: "Warning", error: "Error" };
      const type = this.getAttribute("type");
      const kind = Object.hasOwn(kinds, type) ? type : "info";
      const close = make("button", { type: "button", hidden: !this.hasAttribute("dismissible") }, "Close");
      close.addEventListener("click", () => {
        this.hidden = true;
      });
      const words = make("div", {}, make("strong", {}, `${kinds[kind]}: `), make("slot"));
      this.shadowRoot.append(make("div", { class: `alert ${kind}`, role: "status" }, words, close));
    }
  }

  class Tabs extends Drawn {
    draw() {
      this.shadowRoot.append(make("slot"));
    }
  }

  class Tab extends Drawn {
    draw() {
      const summary = make("summary", {}, this.getAttribute("header") ?? "");
      this.shadowRoot.append(make("details", { open: true }, summary, make("slot")));
    }
  }

  const QUOTED = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gsu;
  const quotedIn = (text) =>
    [...text.matchAll(QUOTED)].map(([, single, double]) => (single ?? double).replaceAll(/\\(.)/gsu, "$1"));

  // Lists are written as JSON or, more often, with single quotes.
  const readList = (text) => {
    try {
      return JSON.parse(text).map(String);
    } catch {
      return quotedIn(text);
    }
  };

  class Classifier extends Drawn {
    static observedAttributes = ["categories", "src", "header", "disabled"];

    static slots = {
      "classification-target": "target",
      "short-instructions": "short",
      "full-instructions": "full",
      "worker-comment": "comment",
    };

    kind = "radio";

    draw() {
      const [short, full, target] = ["short", "full", "target"].map((name) => make("slot", { name }));
      const heading = this.heading("full-instructions") || "Instructions";
      const text = "View full instructions";
      const { open, dialog } = drawWindow({ text, heading, content: [full] });
      const shortHeading = make("h2");
      const aside = make("div", { class: "aside" }, shortHeading, short, make("p", {}, open), dialog);
      this.image = make("img", { alt: "The picture to classify", hidden: true });
      this.options = make("fieldset");
      this.options.addEventListener("change", ({ target: option }) => this.choose(option));
      this.comment = make("div");
      this.shadowRoot.append(
        make("div", { class: "classifier" }, aside, make("div", { class: "target" }, this.image, target), this.options),
        arrange(this, Classifier.slots),
      );
      watchSlots([short, full], () => {
        shortHeading.replaceChildren(this.heading("short-instructions") || "Instructions");
        dialog.querySelector("h2").replaceChildren(this.heading("full-instructions") || "Instructions");
        open.hidden = isEmpty(full);
        aside.hidden = isEmpty(short) && isEmpty(full);
      });
      whenRead(() => this.drawComment());
    }

    heading(tag) {
      return this.querySelector(`:scope > ${tag}`)?.getAttribute("header");
    }

    refresh() {
      const { src } = this.image;
      const wanted = this.getAttribute("src") ?? "";
      if (src !== wanted) this.image.src = wanted;
      this.image.hidden = !wanted;
      this.options.disabled = this.disabled;
      const drawn = JSON.stringify([this.getAttribute("header"), this.categories]);
      if (this.drawn !== drawn) this.drawOptions();
      this.drawn = drawn;
    }

    get categories() {
      return readList(this.getAttribute("categories") ?? "");
    }

    drawOptions() {
      const header = this.getAttribute("header") || "Choose a category";
      const options = this.categories.map((value) => {
        const option = make("input", { type: this.kind, name: "category", required: this.kind === "radio" });
        option.value = value;
        return make("label", { class: "choice" }, option, make("span", {}, value));
      });
      this.options.replaceChildren(make("legend", {}, header), ...options, this.comment);
      this.choose();
    }

    drawComment() {
      const asked = this.querySelector(":scope > worker-comment");
      if (!asked || this.comment.firstChild) return;
      const title = asked.getAttribute("header") || asked.getAttribute("link-text") || "Add a comment";
      const area = make("textarea", { placeholder: asked.getAttribute("placeholder") });
      const label = make("label", { class: "text" }, make("span", { class: "caption" }, title), area);
      this.comment.replaceChildren(label, make("slot", { name: "comment" }));
    }

    get inputs() {
      return [...this.options.querySelectorAll("input")];
    }

    get labels() {
      return this.inputs.filter(({ checked }) => checked).map(({ value }) => value);
    }

    get chosen() {
      return { label: this.labels[0] };
    }

    get value() {
      const workerComment = this.comment.querySelector("textarea")?.value;
      return { ...this.chosen, ...(workerComment && { workerComment }) };
    }

    choose() {}

    checkValidity() {
      return this.disabled || this.inputs.every((input) => input.checkValidity());
    }

    reportValidity() {
      return this.disabled || this.inputs.every((input) => input.reportValidity());
    }

    reset() {
      for (const input of this.inputs) input.checked = false;
      for (const area of this.comment.querySelectorAll("textarea")) area.value = "";
      this.choose();
    }

    collect(answers) {
      answers[this.name] = this.value;
    }
  }

  class MultipleClassifier extends Classifier {
    kind = "checkbox";

    get excluding() {
      const text = this.getAttribute("exclusion-category") ?? "";
      return quotedIn(text).at(-1);
    }

    get categories() {
      return [...super.categories, ...(this.excluding ? [this.excluding] : [])];
    }

    get chosen() {
      return { labels: this.labels };
    }

    // The category of what belongs in no other goes with no other; one must be chosen.
    choose(option) {
      for (const input of this.inputs) {
        const isOpposed = (input.value === this.excluding) !== (option?.value === this.excluding);
        if (option?.checked && this.excluding && isOpposed) input.checked = false;
        input.setCustomValidity("");
      }
      if (this.labels.length === 0) this.inputs[0]?.setCustomValidity("Choose at least one of these.");
    }
  }

  class Button extends Drawn {
    static delegatesFocus = true;
    static observedAttributes = ["disabled", "loading", "variant"];

    draw() {
      const href = this.getAttribute("href");
      const link = { class: "button", href, target: this.getAttribute("target") };
      this.control = href ? make("a", link) : make("button", { type: "button" });
      const name = this.getAttribute("aria-label") || this.getAttribute("title") || this.getAttribute("icon");
      if (this.submits && isPreview) this.control.append(ACCEPT_FIRST);
      else this.control.append(make("slot", {}, name || ""));
      this.shadowRoot.append(this.control);
      this.addEventListener("click", () => this.act());
      if (this.submits) this.closest("crowd-form")?.refresh();
    }

    get submits() {
      return this.matches(SUBMITTING);
    }

    act() {
      const form = this.closest("crowd-form");
      if (this.control.disabled || !form) return;
      if (this.submits) form.submit();
      else if (this.getAttribute("form-action") === "reset") form.reset();
    }

    refresh() {
      const isOut = this.disabled || this.hasAttribute("loading") || (this.submits && isPreview);
      this.control.disabled = isOut;
      this.control.setAttribute("aria-busy", this.hasAttribute("loading"));
      const variant = this.getAttribute("variant");
      this.control.classList.toggle("primary", variant === "primary" || (!variant && this.submits));
      this.control.classList.toggle("link", variant === "link" || variant === "icon");
    }
  }

  // The names of icons are words; only pictures of the page's own are shown.
  class IconButton extends Drawn {
    static delegatesFocus = true;
    static observedAttributes = ["disabled"];

    draw() {
      const icon = this.getAttribute("icon") ?? "";
      const name = this.getAttribute("aria-label") || this.getAttribute("title") || "";
      const isPicture = /[/.]/u.test(icon);
      const words = name || icon.replaceAll("-", " ");
      this.control = make("button", { type: "button" });
      this.control.append(isPicture ? make("img", { src: icon, alt: name || "Icon", class: "icon" }) : words);
      this.shadowRoot.append(this.control);
    }

    refresh() {
      this.control.disabled = this.disabled;
    }
  }

  const collectPlain = (answers, field) => {
    const { name, type, value } = field;
    if (!name || field.matches(":disabled, button, [type=submit], [type=button], [type=image], [type=reset]")) return;
    if (type === "checkbox" || type === "radio") answers[name] = { ...answers[name], [value]: field.checked };
    else if (type === "select-multiple") answers[name] = [...field.selectedOptions].map((option) => option.value);
    else answers[name] = name in answers ? [answers[name], value].flat() : value;
  };

  const resetPlain = (field) => {
    if (field.matches("select")) {
      for (const option of field.options) option.selected = option.defaultSelected;
    } else if (field.matches("[type=checkbox], [type=radio]")) field.checked = field.defaultChecked;
    else if (field.matches("input:not([type=hidden]), textarea")) field.value = field.defaultValue;
  };

  // One answer for each value that is no object, as result files of "flatten-objects" have them.
  const flatten = (value, name) => {
    if (typeof value === "string") return [[name, value]];
    if (typeof value !== "object" || Array.isArray(value)) return [[name, JSON.stringify(value)]];
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name ? `${name}.${key}` : key));
  };

  class Form extends Drawn {
    draw() {
      this.button = make("button", { type: "button", class: "primary", hidden: true }, isPreview ? ACCEPT_FIRST : "Submit");
      this.button.disabled = isPreview;
      this.button.addEventListener("click", () => this.submit());
      this.shadowRoot.append(
        make("style", {}, ":host { padding: 1rem; font-family: system-ui, sans-serif; line-height: 1.5; }"),
        make("style", {}, "::slotted(short-instructions), ::slotted(full-instructions) { display: block; }"),
        make("slot"),
        make("p", {}, this.button),
      );
      // Plain buttons of the page send the form too, whichever form of its own is around all of it.
      this.addEventListener("click", (event) => {
        const button = event.target.closest("button, input");
        if (!button || !["submit", "image"].includes(button.type) || this.contains(button.form)) return;
        event.preventDefault();
        this.submit();
      });
      this.closest("form")?.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submit();
      });
      whenRead(() => {
        this.isRead = true;
        this.refresh();
      });
    }

    refresh() {
      this.button.hidden = !this.isRead || this.querySelector(SUBMITTING) !== null;
    }

    // Unlike that of plain forms, this checks and asks the page's handlers first, as Amazon's does.
    submit() {
      if (isPreview || this.isSent) return;
      const wrong = [...this.querySelectorAll("*")].find((field) => field.checkValidity?.() === false);
      if (wrong) wrong.reportValidity();
      else if (this.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }))) this.send();
    }

    reset() {
      for (const field of this.querySelectorAll("*")) {
        if (field instanceof Field) field.reset();
        else resetPlain(field);
      }
    }

    collect() {
      const answers = Object.create(null);
      for (const field of this.querySelectorAll("*")) {
        if (field instanceof Drawn && field.collect && field.name && !field.disabled) field.collect(answers);
        else if (field.matches("input, select, textarea")) collectPlain(answers, field);
      }
      return answers;
    }

    send() {
      this.isSent = true;
      const answers = this.collect();
      const isFlat = this.getAttribute("answer-format") === "flatten-objects";
      // The id of the HIT is no answer, but a form with nothing else in it is taken with it.
      const fields = isFlat
        ? [["hitId", parameters.get("hitId") ?? ""], ...flatten(answers, "")]
        : [["taskAnswers", JSON.stringify([answers])]];
      const host = parameters.get("turkSubmitTo") ?? "https://www.mturk.com";
      const action = `${host.replace(/\/$/u, "")}/mturk/externalSubmit`;
      const form = make("form", { method: "post", action, "accept-charset": "utf-8", hidden: true });
      for (const [name, value] of [["assignmentId", parameters.get("assignmentId") ?? ""], ...fields]) {
        form.append(make("input", { type: "hidden", name, value }));
      }
      document.body.append(form);
      HTMLFormElement.prototype.submit.call(form);
    }
  }

  // A class can have one name only.
  class ImageClassifier extends Classifier {}
  class MultipleImageClassifier extends MultipleClassifier {}

  const ELEMENTS = {
    "crowd-alert": Alert,
    "crowd-button": Button,
    "crowd-card": Card,
    "crowd-checkbox": Choice,
    "crowd-classifier": Classifier,
    "crowd-classifier-multi-select": MultipleClassifier,
    "crowd-form": Form,
    "crowd-icon-button": IconButton,
    "crowd-image-classifier": ImageClassifier,
    "crowd-image-classifier-multi-select": MultipleImageClassifier,
    "crowd-input": Input,
    "crowd-instructions": Instructions,
    "crowd-modal": Modal,
    "crowd-radio-button": RadioButton,
    "crowd-radio-group": RadioGroup,
    "crowd-slider": Slider,
    "crowd-tab": Tab,
    "crowd-tabs": Tabs,
    "crowd-text-area": TextArea,
    "crowd-toggle-button": Toggle,
  };
  for (const [name, element] of Object.entries(ELEMENTS)) {
    if (!customElements.get(name)) customElements.define(name, element);
  }
  whenRead(() => setTimeout(() => document.dispatchEvent(new Event("all-crowd-elements-ready", { bubbles: true }))));
}

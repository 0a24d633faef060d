// Shows a long form one step at a time, and remembers where its reader was. What is in the steps other scripts
// know: they mark a fieldset with data-done, and the list on the last step says so.
import { recall, remember } from "./drafts.js";

class Steps {
  constructor(form) {
    this.form = form;
    this.key = `${form.dataset.work}:step`;
    this.steps = [...form.querySelectorAll("[data-step]")];
    this.back = form.querySelector("[data-back]");
    this.next = form.querySelector("[data-next]");
    this.progress = form.querySelector("[data-progress]");
    this.overview = form.querySelector("[data-overview]");
    this.current = Math.min(recall(this.key).step ?? 0, this.last);
  }

  get last() {
    return this.steps.length - 1;
  }

  show() {
    this.steps.forEach((step, number) => { step.hidden = number !== this.current; });
    const isLast = this.current === this.last;
    for (const part of this.form.querySelectorAll("[data-last]")) part.hidden = !isLast;
    this.back.hidden = this.current === 0;
    this.next.hidden = isLast;
    this.progress.value = this.current;
    this.bringNext();
    this.offer();
    this.tell();
  }

  // The heading takes the focus, so that whoever listens hears where they are.
  go(step) {
    this.current = Math.max(0, Math.min(step, this.last));
    remember(this.key, { step: this.current });
    this.show();
    this.form.scrollIntoView();
    this.heading.focus();
  }

  get heading() {
    return this.steps[this.current].querySelector("h2, legend");
  }

  // The pictures of the step after this one are there before it is asked for.
  bringNext() {
    const lazy = this.steps[this.current + 1]?.querySelectorAll("img[loading]") ?? [];
    for (const image of lazy) image.loading = "eager";
  }

  // What the page would not send stands on one of the steps.
  goToFault() {
    const fault = this.form.querySelector("[aria-invalid=true]");
    const step = this.steps.findIndex((one) => one.contains(fault));
    if (step < 0) return;
    if (step !== this.current) this.go(step);
    fault.focus();
  }

  // Whoever reports something mostly means what they see.
  offer() {
    const about = document.querySelector("[data-report] [name=about]");
    const { about: value } = this.steps[this.current].dataset;
    if (about && value) about.value = value;
  }

  tell() {
    if (!this.overview) return;
    const { complete, open } = this.form.dataset;
    for (const entry of this.overview.children) {
      const step = this.steps[entry.querySelector("[data-go]").dataset.go];
      const done = step.querySelector("[data-done]") !== null;
      entry.classList.toggle("done", done);
      entry.querySelector("[data-state]").textContent = done ? `✓ ${complete}` : `○ ${open}`;
    }
  }

  start() {
    this.progress.hidden = false;
    this.back.addEventListener("click", () => this.go(this.current - 1));
    this.next.addEventListener("click", () => this.go(this.current + 1));
    if (this.overview) this.overview.hidden = false;
    for (const link of this.form.querySelectorAll("[data-go]")) {
      link.addEventListener("click", () => this.go(Number(link.dataset.go)));
    }
    // Enter means onward; only the last step hands in.
    this.form.addEventListener("submit", (event) => {
      if (this.current === this.last) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.go(this.current + 1);
    }, { capture: true });
    addEventListener("submit", (event) => {
      if (event.defaultPrevented) this.goToFault();
    });
    new MutationObserver(() => this.tell()).observe(this.form, { subtree: true, attributeFilter: ["data-done"] });
    this.show();
  }
}

for (const form of document.querySelectorAll("[data-steps]")) new Steps(form).start();

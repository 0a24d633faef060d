// Writing an example: the words are checked while they are typed, tags are found, pictures are shown before
// they are sent. Without this file the form does the same when it is kept.
"use strict";

(() => {
  const form = document.querySelector("form[data-words-url]");
  const region = form.querySelector("[data-words]");
  const field = (name) => form.elements[name];
  const WAIT_MS = 250;

  // The words.
  let waiting = 0;
  let asked = 0;
  const check = async () => {
    const mine = ++asked;
    const body = new FormData();
    for (const name of ["caption_0", "caption_1", "csrfmiddlewaretoken"]) body.set(name, field(name).value);
    if (field("has_altered_morpheme").checked) body.set("has_altered_morpheme", "on");
    try {
      const answer = await fetch(form.dataset.wordsUrl, { method: "POST", body });
      const text = await answer.text();
      if (mine !== asked) return; // a later one is on its way
      if (!answer.ok || answer.redirected) throw new Error("refused");
      region.innerHTML = text;
    } catch {
      if (mine === asked) region.textContent = "The words cannot be checked right now. They are checked when you keep the example.";
    }
  };
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, WAIT_MS);
  };
  for (const name of ["caption_0", "caption_1", "has_altered_morpheme"]) field(name).addEventListener("input", soon);

  // The tags.
  const tags = form.querySelector("[data-tags]");
  const find = tags.querySelector("#find-tag");
  const boxes = [...tags.querySelectorAll("input[type=checkbox]")];
  const nameOf = (box) => box.closest("label").textContent.trim();
  const rowOf = (box) => box.closest(".scrolls > div > div") ?? box.closest("label");
  const tell = () => {
    const names = boxes.filter((box) => box.checked).map(nameOf);
    tags.querySelector("[data-chosen]").textContent = names.join("; ") || "none";
  };
  const narrow = () => {
    const wanted = find.value.trim().toLowerCase();
    const fitting = boxes.filter((box) => nameOf(box).toLowerCase().includes(wanted));
    for (const box of boxes) rowOf(box).hidden = !fitting.includes(box);
    tags.querySelector("[data-found]").textContent = wanted ? `${fitting.length} of ${boxes.length} tags` : "";
    return fitting;
  };
  find.closest("[hidden]").hidden = false;
  find.addEventListener("input", narrow);
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault(); // the form is not kept by it
      const [only, another] = narrow();
      if (find.value.trim() && only && !another) {
        only.checked = !only.checked;
        only.dispatchEvent(new Event("change", { bubbles: true }));
        find.select();
      }
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      narrow()[0]?.focus();
    } else if (event.key === "Escape" && find.value) {
      event.preventDefault();
      find.value = "";
      narrow();
    }
  });
  tags.addEventListener("change", tell);
  tell();

  // The pictures.
  for (const place of form.querySelectorAll("[data-shown]")) {
    field(place.dataset.shown).addEventListener("change", ({ target }) => {
      const [file] = target.files;
      if (!file || !target.accept.split(",").includes(file.type)) return;
      const reader = new FileReader();
      reader.addEventListener("load", () => {
        const picture = new Image();
        picture.className = "photo";
        picture.alt = `Chosen now, not kept yet: ${file.name}`;
        picture.src = reader.result;
        const words = document.createElement("p");
        words.className = "quiet";
        words.textContent = "Chosen now. It is kept with the example.";
        place.replaceChildren(picture, words);
      });
      reader.readAsDataURL(file);
    });
  }

  // Nothing that was typed is left behind without a question, and nothing is sent twice.
  let changed = Boolean(form.querySelector(".errorlist"));
  let sent = false;
  form.addEventListener("input", () => { changed = true; });
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => { sent = false; });
  addEventListener("beforeunload", (event) => {
    if (changed && !sent) event.preventDefault();
  });
})();

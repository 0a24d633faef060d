// The preview follows the description while it is written; a fault leads to its line. Without this file a button does it.
const form = document.querySelector("form[data-describe]");
const text = form.elements.text;
const shown = document.querySelector("[data-shown]");
const news = document.querySelector("[data-news]");
const WAIT_MS = 300;
let waiting = 0;
let asked = 0;

const tell = () => {
  const count = Number(shown.querySelector("[data-faults]")?.dataset.faults ?? 0);
  const words = count ? `${count} to be mended.` : "The page can be kept.";
  if (news.textContent !== words) news.textContent = words;
};

const look = async () => {
  const mine = ++asked;
  const body = new FormData();
  for (const name of ["text", "csrfmiddlewaretoken"]) body.set(name, form.elements[name].value);
  try {
    const answer = await fetch(form.dataset.preview, { method: "POST", body });
    const page = await answer.text();
    if (mine !== asked) return; // a later one is on its way
    if (!answer.ok || answer.redirected) throw new Error("refused");
    shown.innerHTML = page;
    tell();
  } catch {
    if (mine === asked) news.textContent = form.dataset.away;
  }
};

text.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, WAIT_MS);
});

shown.addEventListener("click", (event) => {
  const line = Number(event.target.closest("[data-line]")?.dataset.line ?? 0);
  if (!line) return;
  event.preventDefault();
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
});

// Nothing that was typed is left behind without a question.
let changed = false;
let sent = false;
text.addEventListener("input", () => { changed = true; });
form.addEventListener("submit", () => { sent = true; });
addEventListener("pageshow", () => { sent = false; });
addEventListener("beforeunload", (event) => {
  if (changed && !sent) event.preventDefault();
});

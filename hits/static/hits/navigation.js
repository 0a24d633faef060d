// The navigation remembers which of its sections are folded, and opens over the page on a phone.
const KEPT = "crowd.navigation.folded";
const nav = document.getElementById("nav-sidebar");

function readFolded() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEPT) ?? "[]"));
  } catch {
    return new Set();
  }
}

function rememberFolds(sections) {
  const folded = readFolded();
  for (const section of sections) {
    // A section with the page that is shown stays open.
    const isCurrent = section.querySelector("[aria-current]") !== null;
    if (folded.has(section.dataset.fold) && !isCurrent) section.open = false;
    section.querySelector("summary").addEventListener("click", () => {
      // Clicks come before the section opens or closes.
      folded[section.open ? "add" : "delete"](section.dataset.fold);
      localStorage.setItem(KEPT, JSON.stringify([...folded]));
    });
  }
}

function openWhileFiltering(filter, sections) {
  filter?.addEventListener("input", () => {
    if (filter.value) for (const section of sections) section.open = true;
  });
}

function openOverPage(button) {
  const show = (isShown) => {
    nav.classList.toggle("is-open", isShown);
    button.setAttribute("aria-expanded", String(isShown));
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    show(button.getAttribute("aria-expanded") !== "true");
    if (nav.classList.contains("is-open")) nav.querySelector("input, a")?.focus();
  });
  nav.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !nav.classList.contains("is-open")) return;
    show(false);
    button.focus();
  });
}

if (nav) {
  const sections = nav.querySelectorAll("details[data-fold]");
  rememberFolds(sections);
  openWhileFiltering(document.getElementById("nav-filter"), sections);
  const button = document.getElementById("head-menu");
  if (button) openOverPage(button);
}

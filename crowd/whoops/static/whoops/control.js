// Whoever ticks that nothing is weird need not write anything.
const form = document.querySelector("form[data-asking]");

const follow = (tick) => {
  const text = document.getElementById(tick.dataset.insteadOf);
  if (tick.checked) text.dataset.optional = "";
  else delete text.dataset.optional;
  if (tick.checked && text.value.trim() === "") {
    text.removeAttribute("aria-invalid");
    tick.closest("[data-question]").querySelector('[data-wrong="text"]').textContent = "";
  }
};

for (const tick of form.querySelectorAll("[data-instead-of]")) {
  // Before the form itself hears of it, and looks for what is still missing.
  tick.addEventListener("input", () => follow(tick));
  follow(tick);
}

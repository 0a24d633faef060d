// Ticks all or none, and says what that comes to.
const form = document.querySelector("form[data-ticking]");

if (form) {
  const boxes = [...form.querySelectorAll('input[name="example"]')];
  const all = form.querySelector("[data-all]");
  const told = form.querySelector("[data-count]");
  const button = form.querySelector("button");
  const each = Number(form.dataset.each);

  const draw = () => {
    const count = boxes.filter((box) => box.checked).length;
    all.checked = count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
    button.disabled = count === 0;
    told.textContent = form.dataset.told
      .replace("%d", count)
      .replace("%q", count * 4)
      .replace("%a", count * each);
  };

  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    draw();
  });
  form.addEventListener("change", draw);
  addEventListener("pageshow", draw);
}

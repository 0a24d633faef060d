// Ticking a bonus chooses "Only those ticked", and the button says how many bonuses it takes, and how much.
"use strict";

(() => {
  const form = document.querySelector("[data-prepare]");
  const button = form.querySelector("[data-takes]");
  const [all, ticked] = ["all", "ticked"].map((value) => form.querySelector(`[name="which"][value="${value}"]`));
  const rows = [...form.querySelectorAll("[name='bonus']")];
  const money = new Intl.NumberFormat("en-US", { style: "currency", currency: form.dataset.prepare || "USD" });

  const say = () => {
    const chosen = rows.filter((row) => row.checked);
    const [count, total] = ticked.checked
      ? [chosen.length, chosen.reduce((sum, row) => sum + Number(row.dataset.amount), 0)]
      : [Number(all.dataset.count), Number(all.dataset.total)];
    button.textContent = `Put ${count} bonus${count === 1 ? "" : "es"}, ${money.format(total)}, into the run`;
  };

  form.addEventListener("change", ({ target }) => {
    if (rows.includes(target)) (rows.some((row) => row.checked) ? ticked : all).checked = true;
    say();
  });
  addEventListener("pageshow", say); // a browser that goes back restores the ticks
})();

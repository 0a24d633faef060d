// Counts a number up to what it is. The final one stands in the page already, for screen readers at once.
const LASTS_MS = 900;

// Whoever wants less motion sees the number as it is.
export const wantsMotion = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

export const countUp = (element) => {
  const number = Number.parseInt(element.textContent, 10);
  if (!wantsMotion() || Number.isNaN(number)) return;
  const written = element.textContent;
  const began = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - began) / LASTS_MS);
    // Fast at first, slower to the end.
    const shown = Math.round(number * (1 - (1 - part) ** 3));
    element.textContent = part < 1 ? written.replace(String(number), String(shown)) : written;
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
};

for (const element of document.querySelectorAll("[data-count-up]")) countUp(element);

// Draws the charts of a page by Vega-Lite. Colors are the page's own, so that light and dark need no second drawing.
// What it draws into gets a role of its own: the words of a chart stand on the element around it.

const text = "var(--body-fg)";
const mark = "var(--link-fg)";
const quiet = "var(--border-color)";

const configOf = (place) => ({
  background: null,
  font: getComputedStyle(place).fontFamily,
  axis: { labelColor: text, titleColor: text, domainColor: text, tickColor: text, gridColor: quiet },
  legend: { labelColor: text },
  style: {
    main: { color: mark },
    quiet: { color: quiet },
    plain: { color: text },
  },
});

const draw = (place) => {
  place.dataset.drawn = "";
  const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  window.vegaEmbed(place, { width: "container", ...spec }, {
    // Without these the library would compile expressions and write styles, which the policy forbids.
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    actions: false,
    renderer: "svg",
    config: configOf(place),
  });
};

const drawAll = () => document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(draw);

drawAll();
// A page that reads itself again brings charts that are not drawn yet.
const live = document.querySelector("[data-live]")?.parentElement;
if (live) new MutationObserver(drawAll).observe(live, { childList: true, subtree: true });

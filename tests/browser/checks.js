// What is wrong with the document as it is shown now, in sentences.
() => {
  for (const animation of document.getAnimations()) animation.finish();
  const problems = [];
  const say = (what, element) => problems.push(`${what}: ${element.outerHTML.slice(0, 140)}`);

  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) problems.push(`scrolls sideways: ${root.scrollWidth} > ${innerWidth}`);
  if (!root.lang) problems.push("the document names no language");
  if (!document.title.trim()) problems.push("the document has no title");
  const headings = document.querySelectorAll("h1").length;
  if (headings !== 1) problems.push(`${headings} h1`);

  for (const image of document.querySelectorAll("img:not([alt])")) say("image without alt", image);
  for (const control of document.querySelectorAll("input:not([type=hidden]), select, textarea, button")) {
    const ownText = control.matches("button") ? control.textContent : control.matches("[type=submit]") ? control.value : "";
    const named = control.labels?.length || control.ariaLabel || control.hasAttribute("aria-labelledby") || ownText.trim();
    if (!named) say("control without a name", control);
  }

  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = color;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return { rgb: [r, g, b], alpha: a / 255 };
  };
  const over = (top, below) => top.rgb.map((part, i) => part * top.alpha + below[i] * (1 - top.alpha));
  const ground = (element) => {
    if (!element) return read("Canvas").rgb;
    const own = read(getComputedStyle(element).backgroundColor);
    return own.alpha === 1 ? own.rgb : over(own, ground(element.parentElement));
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isSeen = (element) => {
    const place = element.getBoundingClientRect();
    const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return shown && place.width > 1 && place.height > 1 && place.right > 0;
  };

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const checked = new Set();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || checked.has(element) || !isSeen(element)) continue;
    checked.add(element);
    const below = ground(element);
    const [high, low] = [light(over(read(getComputedStyle(element).color), below)), light(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)}`, element);
  }
  return problems;
};

// Shows the model's verdict as a result: the score counted up, and its pictures beside those of the player.
import { countUp, wantsMotion } from "./count_up.js";

const pictureOf = (box) => {
  const shown = box.closest("label").querySelector("img");
  const item = document.createElement("li");
  item.className = "picture";
  const face = document.createElement("span");
  face.className = "face";
  const copy = shown.cloneNode();
  copy.alt = box.closest("label").querySelector(".label > span").textContent;
  face.append(copy);
  item.append(face);
  return item;
};

for (const panel of document.querySelectorAll("[data-outcome]")) {
  const lists = { chosen: panel.querySelector("[data-yours]"), predicted: panel.querySelector("[data-theirs]") };
  const number = panel.querySelector("[data-score]");
  panel.parentElement.addEventListener("verdict", ({ target, detail }) => {
    const boxes = [...target.querySelectorAll("[data-place]")];
    for (const [name, list] of Object.entries(lists)) {
      list.replaceChildren(...detail[name].map((place) => pictureOf(boxes[place])));
    }
    panel.hidden = false;
    number.textContent = `${detail.fool} %`;
    // A verdict that has just come is brought into view; after a reload the page stays where it was.
    if (!("asked" in target.dataset)) {
      panel.scrollIntoView({ block: "center", behavior: wantsMotion() ? "smooth" : "auto" });
    }
    countUp(number);
  });
}

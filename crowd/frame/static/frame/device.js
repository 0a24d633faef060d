// The device on which a preview is shown stays chosen from one of its pages to the next, in this window.
"use strict";

const DEVICE = "crowd-preview-device";

for (const choice of document.querySelectorAll('.device input[name="device"]')) {
  if (choice.value === sessionStorage.getItem(DEVICE)) choice.checked = true;
  choice.addEventListener("change", () => sessionStorage.setItem(DEVICE, choice.value));
}

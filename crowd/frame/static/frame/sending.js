// Said once: a screen reader repeats what is written anew.
export const say = (element, text) => {
  if (element && element.textContent !== text) element.textContent = text;
};

export const isHeldBack = (button) => button.disabled || button.getAttribute("aria-disabled") === "true";

// Sends a form when it is ready, and not twice. Whoever comes back may send it again: the server knows what it has.
export const sendOnce = (form, { isReady, comeBack = () => {} }) => {
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (!isReady() || isSent) {
      event.preventDefault();
      return;
    }
    isSent = true;
    say(form.querySelector("[data-status]"), form.dataset.sending);
  });
  addEventListener("pageshow", () => {
    isSent = false;
    comeBack();
  });
};

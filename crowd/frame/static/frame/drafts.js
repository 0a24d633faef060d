// What was begun and not sent yet, for a reload or the back button. A frame may be denied every store: then the
// entry in the tab's history keeps it, and where that fails too nothing is worse than without.

const KEY = "draft:";

export const recall = (work) => {
  try {
    const kept = sessionStorage.getItem(KEY + work);
    if (kept) return JSON.parse(kept);
  } catch {
    // Denied: look into the history.
  }
  return history.state?.[KEY + work] ?? {};
};

export const remember = (work, draft) => {
  try {
    sessionStorage.setItem(KEY + work, JSON.stringify(draft));
  } catch {
    history.replaceState({ ...history.state, [KEY + work]: draft }, "");
  }
};

export const isChoice = (input) => input.type === "radio" || input.type === "checkbox";

export const rememberInputs = (work, inputs) => {
  const begun = inputs.filter((input) => (isChoice(input) ? input.checked : input.value));
  remember(work, { begun: begun.map((input) => [input.name, input.value]) });
};

export const recallInputs = (work, inputs) => {
  for (const [name, value] of recall(work).begun ?? []) {
    const found = inputs.find((input) => input.name === name && (!isChoice(input) || input.value === value));
    if (found && isChoice(found)) found.checked = true;
    else if (found) found.value = value;
  }
};

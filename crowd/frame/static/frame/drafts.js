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

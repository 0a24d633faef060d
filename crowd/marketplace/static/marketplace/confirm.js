// Forms that undo something ask before they are sent. Without scripts they are sent at once.
"use strict";

addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

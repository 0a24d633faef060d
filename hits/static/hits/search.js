// The key / leads to the search of the page's head, unless something is being written.
const WRITES = "input, select, textarea, [contenteditable]";

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches(WRITES)) return;
  const search = document.getElementById("search-head");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

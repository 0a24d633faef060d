// Moments in the reader's own time zone, as the page's language writes them: 22 Nov 2026, 13:36. Without scripts they
// stay as they were written, in UTC, which is also what the mouse tells.
"use strict";

// English pages have the day before the month.
const { lang } = document.documentElement;
const shape = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, shape);

for (const time of document.querySelectorAll("time[data-moment]")) {
  time.title = time.textContent;
  time.textContent = format.format(new Date(time.dateTime));
}

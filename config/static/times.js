// Moments in the reader's own time zone, in the form that the page has them in: 22 Nov 2026, 13:36. Without scripts
// they stay as they were written, in UTC, which is also what the mouse tells.
"use strict";

for (const time of document.querySelectorAll("time[data-moment]")) {
  const shape = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const parts = new Intl.DateTimeFormat(document.documentElement.lang, shape).formatToParts(new Date(time.dateTime));
  const { day, month, year, hour, minute } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  time.title = time.textContent;
  time.textContent = `${day} ${month} ${year}, ${hour}:${minute}`;
}

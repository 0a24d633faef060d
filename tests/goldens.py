"""Golden files: the text of pages and files, kept beside the tests, so that every change to it is seen.

`WRITE_GOLDENS=1` writes them again.
"""

import os
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hits.identity.models.workers import Worker

LINES = frozenset(
    {"h1", "h2", "h3", "p", "tr", "caption", "summary", "figcaption", "li", "dt", "dd", "label"}
)
TOLD_OF_CHARTS = "title"
MOMENT = re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d(:\d\d)?|\d{4}-\d\d-\d\dT[\d:.+Z]+")


def check_golden(path: Path, text: str, *, masks: Mapping[str, str]) -> None:
    """Compare the text with its golden file; `masks` gives what differs from run to run a name that stays."""
    for found in sorted(masks, key=len, reverse=True):
        text = text.replace(found, masks[found])
    text = MOMENT.sub("MOMENT", text).replace("\r\n", "\n")
    if os.environ.get("WRITE_GOLDENS"):
        path.write_text(text)
    assert text == path.read_text()


def name_workers() -> None:
    """Name workers by their order in the table: pseudonyms are drawn at random, and tables sort by them."""
    for number, one in enumerate(Worker.objects.order_by("pk")):
        Worker.objects.filter(pk=one.pk).update(pseudonym=f"worker-{number:02}")


def body_of(answer: Any) -> str:
    """Return the name and content of a downloaded file, sent as a stream or not."""
    assert answer.status_code == 200
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer['Content-Disposition']}\n{content.decode('utf-8-sig')}"


def told_by(page: Any) -> str:
    """Return the content's text line by line; a bar begins each cell, and `|#` each cell of a number."""
    assert page.status_code == 200
    reader = _Reader()
    reader.feed(page.content.decode())
    return "\n".join(line for line in (" ".join(one.split()) for one in reader.lines) if line) + "\n"


class _Reader(HTMLParser):
    """A parser that reads only what is inside the page's content, and only the title of a chart."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._is_inside = self._is_drawing = self._is_told = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._is_inside |= "page" in (given.get("class") or "").split()
        self._is_inside &= given.get("id") != "footer"
        if tag in LINES:
            self.lines.append("")
        elif given.get("role") == "img" and "aria-label" in given:
            self.lines.append("")
            self._say(f"chart: {given['aria-label']}")
        elif tag == "svg":
            self._is_drawing = True
        elif tag == TOLD_OF_CHARTS and self._is_drawing:
            self.lines.append("")
            self._is_told = True
            self._say("chart: ")
        elif tag in ("td", "th"):
            self._say(" |# " if given.get("class") == "number" else " | ")
        elif tag == "a":
            self._say(f"<{given['href']}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._is_drawing = False
        elif tag == TOLD_OF_CHARTS:
            self._is_told = False
        elif tag in LINES:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if self._is_told or not (self._is_drawing or self.cdata_elem):
            self._say(data)

    def _say(self, words: str) -> None:
        if self._is_inside:
            self.lines[-1:] = [(self.lines[-1] if self.lines else "") + words]

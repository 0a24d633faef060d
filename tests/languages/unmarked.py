"""Visible texts of a page that stay as they are in the pseudo-language."""

import re
from collections.abc import Collection, Iterator
from html.parser import HTMLParser

from tests.languages.pseudo import CLOSE, OPEN

SHOWN_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label", "aria-description", "label")
BUTTONS = ("submit", "button", "reset")
HIDDEN = ("script", "style", "template")
WORD = re.compile(r"[^\W\d_]{2,}")
# A sentence that a script shows stands in an attribute of the page.
SENTENCE = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")


def find_unmarked(html: str, *, data: Collection[str]) -> list[str]:
    """Return the texts that are neither marked nor data, each as it stands between two marked ones."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    pieces = dict.fromkeys(" ".join(piece.split()) for piece in reader.pieces)
    return [piece for piece in pieces if WORD.search(_without(piece, data))]


def _without(piece: str, data: Collection[str]) -> str:
    if piece in data:
        return ""
    for value in sorted((value for value in data if value in piece), key=len, reverse=True):
        piece = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", piece)
    return piece


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._depth = 0
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag in HIDDEN:
            self._hidden = tag
        shown = [found.get(name, "") for name in SHOWN_ATTRIBUTES]
        if tag == "input" and found.get("type") in BUTTONS:
            shown.append(found.get("value", ""))
        if tag == "meta" and found.get("name") == "description":
            shown.append(found.get("content", ""))
        shown += [
            value for name, value in found.items() if name.startswith("data-") and SENTENCE.search(value)
        ]
        if not self._depth:  # otherwise a marked text holds the whole element
            self.pieces += [piece for text in shown for piece in _outside(text)]

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._hidden = ""

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        piece = ""
        for letter in data:
            self._depth += (letter == OPEN) - (letter == CLOSE)
            if self._depth or letter == CLOSE:
                self.pieces.append(piece)
                piece = ""
            else:
                piece += letter
        self.pieces.append(piece)


def _outside(text: str) -> Iterator[str]:
    depth, piece = 0, ""
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        piece += "" if depth or letter in (OPEN, CLOSE) else letter
    yield piece

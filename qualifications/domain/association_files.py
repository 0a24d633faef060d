"""Files of word associations, line by line: the strength files of Small World of Words, and plain counts.

A line is a record: no field holds a line break, so one bad line never swallows the next. In files cut by
tabs a quotation mark is a character like any other, for they are published unquoted; a field that is
quoted from end to end is freed of its marks all the same.
"""

import csv
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

LONGEST_WORD = 200
LONGEST_LINE = 10_000
# The most that fits the column; more people than any study has asked.
MOST_PEOPLE = 100_000_000
# Cells whose reading is cached: the same few thousand come again and again.
REMEMBERED = 20_000
# The columns that count answers, and the kind of list that each makes.
COUNTED_BY: Mapping[str, str] = {"r1": "r1", "r123": "r123", "count": "counts"}
EXPECTED = (
    "The first line names the columns: cue, response, R1 or R123, and N (a strength file of Small World of "
    "Words), or cue, response, count."
)


class FileRefused(ValueError):
    """Raised for a file that is no list of associations; the message says what to use instead."""


class LineRefused(ValueError):
    """Raised for one line that cannot be counted; the other lines still can."""


class Answer(NamedTuple):
    """How many people said `response` to `cue`; `asked` is the file's own total for the cue, or 0."""

    cue: str
    response: str
    people: int
    asked: int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a file's lines are split, and which column holds what."""

    delimiter: str
    width: int
    kind: str
    cue: int
    response: int
    count: int
    asked: int | None


def fold(text: str) -> str:
    """Return the text as words are compared: without case, doubled blanks or variant codes of one letter."""
    plain = " ".join(text.split())
    return plain.lower() if plain.isascii() else unicodedata.normalize("NFC", plain.casefold())


def read_layout(line: bytes) -> Layout:
    """Read the layout from the first line. Raises FileRefused if the file is no list of associations."""
    _refuse_what_is_no_text(line)
    text = _decode(line).removeprefix("\ufeff")
    delimiter = max("\t,;", key=text.count)
    names = [fold(name) for name in _cut(text, delimiter)]
    places = {name: names.index(name) for name in names}
    counts = [name for name in COUNTED_BY if name in places]
    if not {"cue", "response"} <= set(places) or not counts:
        raise FileRefused(f"This is no file of associations. {EXPECTED}")
    if len(counts) > 1 or len(names) != len(places):
        raise FileRefused(f"It is not clear which column counts. Each column once, please. {EXPECTED}")
    return Layout(
        delimiter=delimiter,
        width=len(names),
        kind=COUNTED_BY[counts[0]],
        cue=places["cue"],
        response=places["response"],
        count=places[counts[0]],
        asked=places.get("n"),
    )


def read_answer(line: bytes, *, layout: Layout) -> Answer | None:
    """Read one line; None for a blank line. Raises LineRefused if the line cannot be counted."""
    cells = _cut(_decode(line), layout.delimiter)
    if len(cells) == 1 and not cells[0].strip():
        return None
    if len(cells) != layout.width:
        raise LineRefused(f"it has {len(cells)} fields, and the first line {layout.width}")
    people = _read_number(cells[layout.count], what="the count")
    asked = 0 if layout.asked is None else _read_total(cells[layout.asked])
    if asked and people > asked:
        raise LineRefused(f"{people} of {asked} people cannot have said the same")
    cue = _read_word(cells[layout.cue], what="the cue")
    return Answer(cue, _read_word(cells[layout.response], what="the response"), people, asked)


def _refuse_what_is_no_text(line: bytes) -> None:
    if line.startswith(b"PK\x03\x04"):
        raise FileRefused("This is an archive or a workbook. Unpack it, or save the sheet as CSV, first.")
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileRefused("This is UTF-16. Save the file as UTF-8 first.")
    if not line.strip():
        raise FileRefused(f"The first line is empty. {EXPECTED}")
    try:
        line.decode()
    except UnicodeDecodeError:
        raise FileRefused("The first line is not UTF-8 text. Save the file as UTF-8 first.") from None


def _decode(line: bytes) -> str:
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise LineRefused("it is not UTF-8 text") from None


def _cut(text: str, delimiter: str) -> Sequence[str]:
    if '"' not in text:
        return text.split(delimiter)
    if delimiter == "\t":
        return [_unquote(cell) for cell in text.split(delimiter)]
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error:
        raise LineRefused("a quotation mark is not closed") from None


def _unquote(cell: str) -> str:
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if is_quoted else cell


@lru_cache(maxsize=REMEMBERED)
def _read_word(cell: str, *, what: str) -> str:
    word = fold(cell)
    if not word:
        raise LineRefused(f"{what} is missing")
    if len(word) > LONGEST_WORD:
        raise LineRefused(f"{what} is longer than {LONGEST_WORD} characters")
    if not word.isprintable() and any(unicodedata.category(one) == "Cc" for one in word):
        raise LineRefused(f"{what} holds a control character")
    return word


@lru_cache(maxsize=REMEMBERED)
def _read_number(cell: str, *, what: str) -> int:
    digits = cell.strip()
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(MOST_PEOPLE))
    if not is_number or not 0 < int(digits) <= MOST_PEOPLE:
        raise LineRefused(f"{what} must be a whole number above 0, and is “{digits[:20]}”")
    return int(digits)


def _read_total(cell: str) -> int:
    """Read the total of a cue; 0 where it is missing (R writes NA), since the counts then give the total."""
    return 0 if cell.strip() in ("", "NA") else _read_number(cell, what="N")

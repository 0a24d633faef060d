"""Rows of each format: the line that a row begins in, and a reader of it, which may raise ValueError."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from hits.common.uploads.text_lines import Lines

Found = Iterator[tuple[int, Callable[[], Any]]]
NOT_KEPT = "This JSON is nested too deeply, or holds a number that is too long."
NOT_CLOSED = "Look for a quotation mark that is not closed."


class RepeatedField(NamedTuple):
    """A JSON object that names a field twice, so that nobody can say which of both is meant."""

    name: str


def json_lines(lines: Lines) -> Found:
    for text in lines:
        if text.strip():
            yield lines.number, partial(_read_object, text)
        lines.begin_row()


def json_list(lines: Lines) -> Found:
    """Yield one value after the other, so that only the text is in memory."""
    text = lines.whole()
    try:
        yield from _items(text, json.JSONDecoder(object_pairs_hook=_once))
    except json.JSONDecodeError as error:
        line, words = lines.place(error.lineno), f"this is not JSON ({error.msg})."
        lines.stop(f"{line}, column {error.colno}: {words}")
    except (RecursionError, ValueError):
        lines.stop(NOT_KEPT)


def csv_records(lines: Lines, *, trims: bool) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the line and the cells of each row that is not empty."""
    first = _first_line(lines)
    start = lines.number
    reader = csv.reader(
        chain([first], lines), delimiter=_delimiter(first), strict=True, skipinitialspace=trims
    )
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield start, cells
            lines.begin_row()
            start = lines.number + 1
    except csv.Error as error:
        lines.stop(f"{lines.place(start)} cannot be read ({error}). {NOT_CLOSED}")


def _first_line(lines: Lines) -> str:
    """Return the first line that is not empty."""
    for line in lines:
        if line.strip():
            if "\0" in line:
                lines.stop("This is not a text file. Upload CSV or JSON.")
            return line
        lines.begin_row()
    return ""


def _delimiter(heading: str) -> str:
    return max(",;\t", key=heading.count)


def _read_object(text: str) -> Any:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict | RepeatedField):
        raise ValueError("this is not a JSON object on one line.")  # noqa: TRY004 - a fault of the file's
    return _one(found)


def _items(text: str, decoder: json.JSONDecoder) -> Found:
    """Yield the values of a JSON list; `text` begins with its bracket, after spaces."""
    place, counted, line = text.index("[") + 1, 0, 1
    is_first = True
    while True:
        place = _after_spaces(text, place)
        if is_first and text.startswith("]", place):
            break
        line, counted = line + text.count("\n", counted, place), place
        value, end = decoder.raw_decode(text, place)
        yield line, partial(_one, value)
        place = _after_spaces(text, end)
        if text.startswith("]", place):
            break
        if not text.startswith(",", place):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
        place, is_first = place + 1, False
    if rest := text[place + 1 :].strip():
        raise json.JSONDecodeError("Extra data", text, text.index(rest, place + 1))


def _after_spaces(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _one(value: Any) -> Any:
    if isinstance(value, RepeatedField):
        raise ValueError(f"“{value.name:.40}” is named twice in one object.")  # noqa: TRY004
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any] | RepeatedField:
    found = dict(pairs)
    if len(found) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        return RepeatedField(name)
    return found

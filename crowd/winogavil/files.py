"""A researcher's file as rows of text, whatever program wrote it. Nothing here knows a database."""

import csv
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from hits.domain.words import has_controls
from hits.errors import InvalidItems
from hits.problems import Problems

COLUMNS = ("cue", "candidates", "chosen")
MOST_ROWS = 5_000
BETWEEN = "|"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One association as it was written. `place` is what the researcher finds it by."""

    place: str
    cue: str
    candidates: tuple[str, ...]
    chosen: tuple[str, ...]


def read_lines(content: bytes, *, problems: Problems) -> list[Line]:
    text = _decode(content)
    if not text.strip():
        raise InvalidItems(["The file is empty."])
    lines = list((_read_json if text.lstrip()[0] in "[{" else _read_csv)(text, problems))
    if len(lines) > MOST_ROWS:
        raise InvalidItems([f"A file has at most {MOST_ROWS} lines; this one has more. Cut it into several."])
    if not lines:
        problems.refuse()
        raise InvalidItems(["The file has a heading and no line below it."])
    return lines


def _decode(content: bytes) -> str:
    if content.startswith(b"PK\x03\x04"):
        raise InvalidItems(["This is a workbook or an archive. Save the sheet as CSV, and upload that."])
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidItems(
            [f"Line {line} is not UTF-8 text. Save the file again as “CSV UTF-8”, and upload that."]
        ) from None
    if "\0" in text:
        raise InvalidItems(["This is not a text file. Upload CSV or JSON."])
    return unicodedata.normalize("NFC", text)


def _read_csv(text: str, problems: Problems) -> Iterator[Line]:
    heading = text.lstrip().splitlines()[0]
    reader = csv.reader(
        StringIO(text, newline=""),
        delimiter=max(",;\t", key=heading.count),
        strict=True,
        skipinitialspace=True,
    )
    names: list[str] = []
    number = count = 0
    try:
        for cells in reader:
            start, number = number + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = _read_heading(cells)
            elif len(cells) != len(names):
                problems.say(
                    f"Line {start}: it has {len(cells)} fields, and the heading {len(names)}. "
                    "Put a field that holds the separator into quotation marks.",
                )
            elif count > MOST_ROWS:
                break  # one too many was read, and the file is refused for it
            else:
                count += 1
                cell = dict(zip(names, map(str.strip, cells), strict=True))
                yield Line(
                    place=f"Line {start}",
                    cue=cell["cue"],
                    candidates=_split(cell["candidates"]),
                    chosen=_split(cell["chosen"]),
                )
    except csv.Error as error:
        raise InvalidItems(
            [f"Line {number + 1} cannot be read ({error}). Look for a quotation mark that is not closed."]
        ) from None


def _read_heading(cells: Sequence[str]) -> list[str]:
    names = [cell.strip().casefold() for cell in cells]
    if missing := [name for name in COLUMNS if names.count(name) != 1]:
        raise InvalidItems(
            [f"The first line names the columns cue, candidates and chosen. Once each: {', '.join(missing)}."]
        )
    return names


def _read_json(text: str, problems: Problems) -> Iterator[Line]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidItems(
            [f"Line {error.lineno}, column {error.colno}: this is not JSON ({error.msg})."]
        ) from None
    except (RecursionError, ValueError):
        raise InvalidItems(["This JSON is nested too deeply, or holds a number that is too long."]) from None
    if not isinstance(rows, list):
        raise InvalidItems(["The JSON must be a list of objects with cue, candidates and chosen."])
    for number, row in enumerate(rows, start=1):
        place = f"Item {number}"
        if not isinstance(row, Mapping) or not set(COLUMNS) <= set(row):
            problems.say(f"{place}: it must be an object with cue, candidates and chosen.")
        elif not isinstance(row["cue"], str) or not all(_is_listed(row[name]) for name in COLUMNS[1:]):
            problems.say(f"{place}: cue is a text; candidates and chosen are lists of texts.")
        elif any(map(has_controls, _texts(row))):
            problems.say(f"{place}: there is a character in it that cannot be kept.")
        else:
            yield Line(
                place=place,
                cue=row["cue"].strip(),
                candidates=_listed(row["candidates"]),
                chosen=_listed(row["chosen"]),
            )


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    for name in COLUMNS:
        yield from [row[name]] if isinstance(row[name], str) else row[name]


def _is_listed(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return _split(value) if isinstance(value, str) else tuple(one.strip() for one in value)


def _split(cell: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in cell.split(BETWEEN)) if cell else ()

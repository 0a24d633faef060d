"""The rows of a file that somebody uploads: CSV or JSON Lines, told apart by its first sign."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple
from unicodedata import category

from hits.domain.words import UNWANTED
from hits.errors import InvalidItems
from hits.problems import Problems

NOT_TEXT = "This is not UTF-8 text. Save it as UTF-8, as “CSV UTF-8” for example, and choose it again."


class Row(NamedTuple):
    line: int
    cells: Mapping[str, str]  # of every column, trimmed; what the file does not have is ""


def read_text(content: bytes) -> str:
    """With the mark at the start that spreadsheets write, or without it. Raises InvalidItems."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidItems([NOT_TEXT]) from None


def read_rows(
    text: str, *, needed: Sequence[str], others: Sequence[str] = (), most: int, problems: Problems
) -> Iterator[Row]:
    """Row by row. What is wrong with one row is a problem; what is wrong with the file is raised.

    Columns in neither list are skipped.
    """
    columns = (*needed, *others)
    is_json = text.lstrip().startswith("{")
    found = _json_rows(text, problems) if is_json else _csv_rows(text, needed=needed, problems=problems)
    count = 0
    for line, cells in found:
        count += 1
        if count > most:
            raise InvalidItems([f"The file has more than {most:,} rows. Make several of it."])
        try:
            row = Row(line, {name: _text(name, cells.get(name)) for name in columns})
            if missing := [name for name in needed if not row.cells[name]]:
                raise ValueError(f"{', '.join(missing)}: there is nothing in it.")
        except ValueError as error:
            problems.say(f"Line {line}: {error}")
        else:
            yield row
    if not count:
        problems.say("The file has no rows.")


def _json_rows(text: str, problems: Problems) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, part in enumerate(text.split("\n"), start=1):
        if not part.strip():
            continue
        try:
            cells = json.loads(part)
        except (ValueError, RecursionError):
            cells = None
        if isinstance(cells, dict):
            yield line, cells
        else:
            problems.say(f"Line {line}: this is no JSON object of one line.")


def _csv_rows(
    text: str, *, needed: Sequence[str], problems: Problems
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    names: list[str] = []
    line = 0
    try:
        for cells in reader:
            start, line = line + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = _heading(cells, needed=needed, line=start)
            elif len(cells) == len(names):
                yield start, dict(zip(names, cells, strict=True))
            else:
                problems.say(f"Line {start}: it has {len(cells)} cells, and the heading {len(names)}.")
    except csv.Error as error:
        raise InvalidItems([f"Line {line + 1}: it is not CSV ({error})."]) from None


def _heading(cells: Sequence[str], *, needed: Sequence[str], line: int) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    if missing := [name for name in needed if names.count(name) != 1]:
        words = f"the heading names each of {', '.join(needed)} once; look at {', '.join(missing)}."
        raise InvalidItems([f"Line {line}: {words}"])
    return names


def _text(name: str, value: Any) -> str:
    """Numbers too, as JSON writes them."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{name}: it must be text.")  # noqa: TRY004 - a fault of the file's
    text = " ".join(str(value).split())
    if any(category(sign) in UNWANTED for sign in text):
        raise ValueError(f"{name}: there is a character in it that cannot be kept.")
    return text

"""The rows of a recording's CSV files, as they are written. Nothing here knows a database."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crowd.winogavil.files import Problems
from hits.errors import InvalidItems

ASSOCIATIONS = "associations.csv"
SOLUTIONS = "solutions.csv"
LISTS = ("candidates", "selected", "rival_prediction")
NEVER_EMPTY = ("association", "worker")
COLUMNS = {
    ASSOCIATIONS: ("association", "worker", "candidates", "cue", "selected", "rival_prediction"),
    SOLUTIONS: ("association", "worker", "selected"),
}
# No database keeps a NUL or half a character.
UNFIT = re.compile(r"[\0\ud800-\udfff]")


class Row(NamedTuple):
    line: int
    cells: dict[str, Any]  # lists of texts in the columns of LISTS, texts in the others


def read_rows(path: Path, *, problems: Problems) -> Iterator[Row]:
    """Row by row. What is wrong with one row is a problem; what is wrong with the file is raised."""
    reader = csv.reader(_texts(path), strict=True)
    names: list[str] = []
    line = 0
    try:
        for cells in reader:
            start, line = line + 1, reader.line_num
            place = f"{path.name}, line {start}"
            if cells and not names:
                names = _read_heading(cells, columns=COLUMNS[path.name], place=place)
            elif cells:
                try:
                    yield Row(start, _read_cells(cells, names=names, columns=COLUMNS[path.name]))
                except ValueError as error:
                    problems.say(place, str(error))
    except csv.Error as error:
        raise InvalidItems([f"{path.name}, line {line + 1}: it is not CSV ({error})."]) from None
    if not names:
        raise InvalidItems([f"{path.name}: the file is empty."])


def _texts(path: Path) -> Iterator[str]:
    """Decoded line by line, so that the line that is not UTF-8 can be named."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise InvalidItems([f"{path.name}, line {number}: it is not UTF-8 text."]) from None


def _read_heading(cells: list[str], *, columns: Sequence[str], place: str) -> list[str]:
    if missing := [name for name in columns if cells.count(name) != 1]:
        words = f"the heading names each of {', '.join(columns)} once; look at {', '.join(missing)}."
        raise InvalidItems([f"{place}: {words}"])
    return cells


def _read_cells(cells: Sequence[str], *, names: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    """Raises ValueError with what to mend."""
    if len(cells) != len(names):
        raise ValueError(f"it has {len(cells)} cells, and the heading {len(names)}.")
    texts = dict(zip(names, cells, strict=True))
    if empty := [name for name in NEVER_EMPTY if not texts[name]]:
        raise ValueError(f"{' and '.join(empty)} must not be empty.")
    return {name: _read_cell(name, texts[name]) for name in columns}


def _read_cell(name: str, text: str) -> str | list[str]:
    value = _read_list(name, text) if name in LISTS else text
    if any(UNFIT.search(one) for one in ([value] if isinstance(value, str) else value)):
        raise ValueError(f"{name} holds a NUL or half a character.")
    return value


def _read_list(name: str, text: str) -> list[str]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f'{name} must be a JSON list of names, such as ["tea", "pile"].')
    return values

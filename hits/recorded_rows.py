"""The rows of a recording's CSV files, as they are written. Nothing here knows a database."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hits.errors import InvalidItems
from hits.problems import Problems

# No database keeps a NUL or half a character.
UNFIT = re.compile(r"[\0\ud800-\udfff]")


class Row(NamedTuple):
    line: int
    cells: dict[str, Any]  # as the family has read them


def read_rows(
    path: Path,
    *,
    columns: Sequence[str],
    read_cells: Callable[[dict[str, str]], dict[str, Any]],
    problems: Problems,
    trims: bool = False,
) -> Iterator[Row]:
    """Row by row. What is wrong with one row is a problem; what is wrong with the file is raised.

    `read_cells` is given a row's texts by column, and raises ValueError with what to mend.
    """
    reader = csv.reader(_texts(path), strict=True)
    names: list[str] = []
    line = 0
    try:
        for row in reader:
            start, line = line + 1, reader.line_num
            place = f"{path.name}, line {start}"
            cells = [cell.strip() for cell in row] if trims else row
            if cells and not names:
                names = _read_heading(cells, columns=columns, place=place)
            elif cells:
                try:
                    yield Row(start, read_cells(_by_name(cells, names)))
                except ValueError as error:
                    problems.say(f"{place}: {error}")
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


def _by_name(cells: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    if len(cells) != len(names):
        raise ValueError(f"it has {len(cells)} cells, and the heading {len(names)}.")
    return dict(zip(names, cells, strict=True))

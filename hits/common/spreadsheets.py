"""Rows for spreadsheets as CSV: nothing in them runs, and figures stay figures."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from unicodedata import category

# A moment is written as its own zone's clocks show it: spreadsheets know no zones.
Cell = str | int | Decimal | datetime | None
# Beginnings that a spreadsheet would take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# Where people type wide letters, these are the same; and a program may drop what nobody sees before them.
SIGNS = "=+-@＝＋－＠"
UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Zs")
# Byte order mark, by which spreadsheets know the encoding.
MARK = "\ufeff"


def harmless(text: str) -> str:
    """Return the text with an apostrophe before it if a spreadsheet would take it for a formula."""
    first = next((sign for sign in text if category(sign) not in UNSEEN), "")
    is_formula = text.lstrip(" ").startswith(FORMULA) or (first != "" and first in SIGNS)
    return f"'{text}" if is_formula else text


def csv_line(cells: Iterable[object]) -> str:
    """Return one line of a file: no text in it runs as a formula, and figures stay figures."""
    line: str = csv.writer(_Echo()).writerow(
        [harmless(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield the file line by line, so that no length of it fills the memory."""
    yield MARK + csv_line(header)  # some are made of what was uploaded
    for row in rows:
        yield csv_line(map(_written, row))


class _Echo:
    """File object for the csv module that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


def _written(cell: Cell) -> Cell:
    return cell.strftime("%Y-%m-%d %H:%M:%S") if isinstance(cell, datetime) else cell


def write_json_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield one JSON object for each row, for programs."""
    for row in rows:
        yield json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False, default=str) + "\n"

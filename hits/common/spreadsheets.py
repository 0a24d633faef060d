"""Rows for spreadsheets as CSV: nothing in them runs, and figures stay figures."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from unicodedata import category

# A moment is written as its own zone's clocks show it: spreadsheets know no zones.
Cell = str | int | Decimal | datetime | None
# What a spreadsheet would take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# Where people type wide letters, these are the same; and a program may drop what nobody sees before them.
SIGNS = "=+-@＝＋－＠"
UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Zs")
# By which spreadsheets know the encoding.
MARK = "\ufeff"


def harmless(text: str) -> str:
    """A spreadsheet must not take for a formula what somebody wrote."""
    first = next((sign for sign in text if category(sign) not in UNSEEN), "")
    is_formula = text.lstrip(" ").startswith(FORMULA) or (first != "" and first in SIGNS)
    return f"'{text}" if is_formula else text


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Line by line, so that no length of it fills the memory."""
    writer = csv.writer(_Echo())
    yield MARK + writer.writerow(map(harmless, header))  # some are made of what was uploaded
    for row in rows:
        yield writer.writerow([_written(cell) for cell in row])


class _Echo:
    """What csv writes to: it hands the line back."""

    def write(self, line: str) -> str:
        return line


def _written(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return harmless(cell)
    return cell.strftime("%Y-%m-%d %H:%M:%S") if isinstance(cell, datetime) else str(cell)

"""Rows as an XLSX workbook: real numbers and dates, in memory that does not grow with them."""

import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import chain, islice
from typing import IO, Any

from hits.common.spreadsheets import Cell

# A sheet ends at 1,048,576 rows.
MOST_ROWS = 1_000_000
LONGEST = 32_767  # characters of a cell
WIDTH = 18
FORMATS = {
    "head": {"bold": True, "bottom": 1},
    "moment": {"num_format": "yyyy-mm-dd hh:mm:ss"},
    "money": {"num_format": "#,##0.00"},
}


def write_workbook(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> IO[bytes]:
    """Write a temporary file, deleted when closed. Rows that do not fit on one sheet go on on the next."""
    import xlsxwriter  # noqa: PLC0415 - slow to load, and few processes write a workbook

    file = tempfile.TemporaryFile()  # noqa: SIM115 -- whoever sends it closes it
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        formats = {name: book.add_format(form) for name, form in FORMATS.items()}
        remaining = iter(rows)
        first: Sequence[Cell] | None = next(remaining, None)
        _write_sheet(book.add_worksheet(), header, _started(first, remaining), formats)
        while (first := next(remaining, None)) is not None:
            _write_sheet(book.add_worksheet(), header, _started(first, remaining), formats)
    file.seek(0)
    return file


def _started(first: Sequence[Cell] | None, rest: Iterable[Sequence[Cell]]) -> Iterable[Sequence[Cell]]:
    return () if first is None else chain([first], islice(rest, MOST_ROWS - 1))


def _write_sheet(
    sheet: Any, header: Sequence[str], rows: Iterable[Sequence[Cell]], formats: dict[str, Any]
) -> None:
    sheet.set_column(0, len(header) - 1, WIDTH)
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(header):
        sheet.write_string(0, column, name, formats["head"])
    for number, row in enumerate(rows, start=1):
        for column, cell in enumerate(row):
            _write(sheet, number, column, cell, formats)


def _write(sheet: Any, row: int, column: int, cell: Cell, formats: dict[str, Any]) -> None:
    """Write one cell. A text is always written as text, even if it looks like a formula."""
    match cell:
        case None | "":
            return
        case str():
            sheet.write_string(row, column, cell[:LONGEST])
        case datetime():
            sheet.write_datetime(row, column, cell.replace(tzinfo=None, microsecond=0), formats["moment"])
        case Decimal():
            sheet.write_number(row, column, float(cell), formats["money"])
        case int():
            sheet.write_number(row, column, cell)

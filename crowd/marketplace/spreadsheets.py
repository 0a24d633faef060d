"""Files for a spreadsheet: of any length, and nothing in them runs."""

import csv
from collections.abc import Iterable, Sequence
from itertools import chain

from django.http import StreamingHttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_file(name: str, *, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Row by row, so that no length of it fills the memory."""
    return StreamingHttpResponse(
        map(_line, chain([header], rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _harmless(cell: object) -> object:
    """A spreadsheet must not take what somebody wrote for a formula. Numbers are ours, and stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


class _Echo:
    """The file of a csv.writer that hands every line on."""

    def write(self, line: str) -> str:
        return line


def _line(cells: Sequence[object]) -> str:
    line: str = csv.writer(_Echo()).writerow([_harmless(cell) for cell in cells])
    return line

"""Files for a spreadsheet: of any length, and nothing in them runs."""

import csv
from collections.abc import Iterable, Sequence
from itertools import chain

from django.http import StreamingHttpResponse

from hits.common.spreadsheets import harmless


def csv_file(name: str, *, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Row by row, so that no length of it fills the memory."""
    return StreamingHttpResponse(
        map(_line, chain([header], rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


class _Echo:
    """The file of a csv.writer that hands every line on."""

    def write(self, line: str) -> str:
        return line


def _line(cells: Sequence[object]) -> str:
    line: str = csv.writer(_Echo()).writerow(
        [harmless(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return line

"""Files for a spreadsheet, or for a program: of any length, and nothing in them runs."""

from collections.abc import Iterable, Sequence
from itertools import chain

from django.http import StreamingHttpResponse

from hits.common.spreadsheets import csv_line, write_json_lines


def csv_file(name: str, *, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Stream a CSV file row by row, so that no length of it fills the memory."""
    return StreamingHttpResponse(
        map(csv_line, chain([header], rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def json_file(name: str, *, header: Sequence[str], rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """Stream one JSON object for each row."""
    return StreamingHttpResponse(
        write_json_lines(header, rows),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.jsonl"'},
    )

"""CSV, TSV and JSON Lines, one row at a time."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hits.common.spreadsheets import csv_line, harmless
from hits.datasets.columns import Column, Row, only


def jsonl(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    for row in rows:
        yield json_line(only(columns, row))


def json_line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def csv_lines(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield CSV with lists as JSON and no byte order mark, which programs would read as part of a name."""
    yield csv_line(one.name for one in columns).encode()
    for row in rows:
        yield csv_line(_cell(row[one.name]) for one in columns).encode()


def read_jsonl(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield json.loads(line)


def changes_in_csv(columns: Sequence[Column], row: Row) -> bool:
    """Whether a text of the row looks like a formula, so that CSV holds it with an apostrophe before it."""
    texts = [row[one.name] for one in columns if isinstance(row[one.name], str)]
    return any(harmless(text) != text for text in texts)


def tsv_lines(columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield plain TSV, as programs read it: no quotes, and what would break a line becomes a blank."""
    yield "\t".join(one.name for one in columns).encode() + b"\n"
    for row in rows:
        cells = (" ".join(str(row[one.name]).split()) for one in columns)
        yield "\t".join(cells).encode() + b"\n"


def _cell(value: Any) -> str | float | None:
    match value:
        case bool():
            return "true" if value else "false"
        case None | str() | int() | float():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

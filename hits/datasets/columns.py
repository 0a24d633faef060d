"""What a row of a data set has: files, cards and the docs are made from one list of columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

TEXT, INTEGER, NUMBER, FLAG, MOMENT = "text", "integer", "number", "flag", "moment"
TEXTS = "texts"  # a list of them
ROWS = "rows"  # a list of rows of their own columns

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Column:
    name: str
    kind: str
    words: str
    columns: tuple["Column", ...] = ()


def column(name: str, kind: str, words: str, *columns: Column) -> Column:
    return Column(name=name, kind=kind, words=words, columns=columns)


def only(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    return {one.name: row[one.name] for one in columns}


def utc_text(at: datetime | None) -> str | None:
    """How files tell a moment, whatever the zone of whoever asks."""
    return None if at is None else at.astimezone(UTC).isoformat()

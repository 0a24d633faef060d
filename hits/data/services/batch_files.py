"""A batch's work as lines of a file: in words or as it was handed in, as CSV or as JSON Lines."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from hits.common.spreadsheets import MARK, csv_line
from hits.core.errors import RuleBroken
from hits.data.services import batch_export, flat_export
from hits.datasets.columns import Column
from hits.identity.models.users import User
from hits.studies.models import Batch

# These columns are in every row of a table, so that a part of a file still says where it comes from.
PROVENANCE = ("study", "batch_id", "exported_at")
FLAT, RAW = "flat", "raw"
SHAPES: Mapping[str, str] = {
    FLAT: "In words: a row for each question, word or image that was worked on",
    RAW: "As it was handed in: a row for each assignment, with ids and the raw answer",
}
KINDS: Mapping[str, str] = {
    "csv": "CSV, for spreadsheets and R",
    "jsonl": "JSON Lines, with the batch's terms",
}
_READ: Mapping[str, Callable[..., Iterator[dict[str, Any]]]] = {
    FLAT: flat_export.export_flat,
    RAW: batch_export.export_batch,
}


def columns_of(batch: Batch) -> Mapping[str, Sequence[Column]]:
    """Return the columns of each shape in which this batch's work can be had."""
    flat = {FLAT: flat_export.flat_columns(batch)} if flat_export.can_be_flat(batch) else {}
    return {**flat, RAW: batch_export.RAW}


def send_batch(
    *, batch: Batch, shape: str, kind: str, include_excluded: bool, by: User, now: datetime
) -> Iterator[str]:
    """Put the export on record, and return the file's lines. Raises RuleBroken for work without words."""
    columns = columns_of(batch)
    if shape not in columns:
        raise RuleBroken("no_flat_rows", "This task's work has no words. Take it as it was handed in.")
    asked: dict[str, Any] = {"batch": batch, "include_excluded": include_excluded}
    batch_export.record_export(**asked, by=by, now=now)
    about = {**batch_export.describe_export(**asked, by=by, now=now), "rows": shape}
    rows = _READ[shape](**asked)
    if kind == "jsonl":
        return write_jsonl(rows, about=about)
    return write_csv(rows, names=[one.name for one in columns[shape]], about=about)


def name_of(batch: Batch, *, kind: str, now: datetime) -> str:
    return f"batch-{str(batch.public_id)[:8]}-{now:%Y%m%d-%H%M}.{kind}"


def write_csv(
    rows: Iterable[Mapping[str, Any]], *, names: Sequence[str], about: Mapping[str, Any]
) -> Iterator[str]:
    """Write rows as CSV with a byte order mark, by which spreadsheets know the encoding."""
    yield MARK + csv_line([*names, *PROVENANCE])
    tail = [_cell(about[name]) for name in PROVENANCE]
    for row in rows:
        yield csv_line([*(_cell(row[name]) for name in names), *tail])


def write_jsonl(rows: Iterable[Mapping[str, Any]], *, about: Mapping[str, Any]) -> Iterator[str]:
    """Write rows as JSON Lines. The first line describes the file; every other line is a row."""
    yield _json({"about": about}) + "\n"
    for row in rows:
        yield _json(row) + "\n"


def _cell(value: Any) -> str | float | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | int | float | None) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

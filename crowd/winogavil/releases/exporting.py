"""What `manage.py export winogavil` writes: the same rows as a release, of now, and of no version."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from crowd.winogavil.models import Association
from crowd.winogavil.queries import final, of_study, selected
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.columns import FULL, PUBLISHED, Column, Row
from crowd.winogavil.releases.files.places import describe, replacing
from crowd.winogavil.releases.files.texts import csv_lines, jsonl
from crowd.winogavil.releases.rows import Naming, ambiguous_names, stream
from hits.exports import Export, Tell, Wanted

# Players agreed to a release of their data, by choice; nobody's file has them by accident.
BY_DEFAULT = tuple(source for source in Association.Source.values if source != Association.Source.PLAYER)
TEXTS = {"csv": csv_lines, "jsonl": jsonl}


class WinogavilExport(Export):
    family: ClassVar[str] = "winogavil"
    sources: ClassVar[tuple[str, ...]] = tuple(Association.Source.values)

    def export(self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime) -> dict[str, Any]:
        rows = _rows(wanted)
        naming = Naming(
            salt=str(wanted.study.public_id if wanted.linkable else uuid4()),
            ambiguous=frozenset(ambiguous_names(rows)),
        )
        path = folder / f"{'full' if wanted.full else 'associations'}.{wanted.format}"
        count = _Counting(rows.count(), tell)
        _write(
            path,
            FULL if wanted.full else PUBLISHED,
            count.through(stream(rows, naming=naming)),
            wanted.format,
        )
        return {
            **describe(path),
            "file": str(path),
            "rows": count.done,
            "study": wanted.study.name,
            "exported_at": now.isoformat(),
        }


def _rows(wanted: Wanted) -> Rows:
    rows = of_study(wanted.study, sources=wanted.sources or BY_DEFAULT)
    return final(rows) if wanted.everything else selected(rows)


def _write(path: Path, columns: Sequence[Column], rows: Iterator[Row], form: str) -> None:
    with replacing(path) as file:
        if form in TEXTS:
            file.writelines(TEXTS[form](columns, rows))
        else:
            from crowd.winogavil.releases.files.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

            write_parquet(columns, rows, file)


class _Counting:
    """Tells how far it is, now and then."""

    EVERY = 500

    def __init__(self, of: int, tell: Tell) -> None:
        self.done, self._of, self._tell = 0, of, tell

    def through(self, rows: Iterator[Mapping[str, Any]]) -> Iterator[Row]:
        for row in rows:
            yield row
            self.done += 1
            if self.done % self.EVERY == 0:
                self._tell(self.done, self._of)

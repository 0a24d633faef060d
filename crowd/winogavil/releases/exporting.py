"""Export by `manage.py export winogavil`: the same rows as a release, as of now and without a version."""

from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from crowd.winogavil.models import Association
from crowd.winogavil.queries import BY_CHOICE, final, of_study, selected, threshold_of
from crowd.winogavil.queries.associations import Rows
from crowd.winogavil.releases.columns import FULL, PUBLISHED
from crowd.winogavil.releases.rows import Naming, ambiguous_names, stream
from hits.data.exports import Export, ExportChoice, Tell, export_rows, salt_of

# Sources of an export by default; the others never get into a file by accident.
BY_DEFAULT = tuple(source for source in Association.Source.values if source not in BY_CHOICE)


class WinogavilExport(Export):
    family: ClassVar[str] = "winogavil"
    sources: ClassVar[tuple[str, ...]] = tuple(Association.Source.values)

    def export(
        self, *, wanted: ExportChoice, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        threshold = threshold_of(wanted.study)
        rows = _rows(wanted, threshold=threshold)
        naming = Naming(
            salt=salt_of(wanted.study, linkable=wanted.linkable),
            ambiguous=frozenset(ambiguous_names(rows)),
        )
        path = folder / f"{'full' if wanted.full else 'associations'}.{wanted.format}"
        columns, told = FULL if wanted.full else PUBLISHED, stream(rows, naming=naming, threshold=threshold)
        return export_rows(path, columns, told, of=rows.count(), wanted=wanted, tell=tell, now=now)


def _rows(wanted: ExportChoice, *, threshold: int) -> Rows:
    rows = of_study(wanted.study, sources=wanted.sources or BY_DEFAULT)
    return final(rows) if wanted.everything else selected(rows, threshold=threshold)

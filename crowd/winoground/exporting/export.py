"""What `manage.py export winoground` and the download in the admin write."""

from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, FULL
from crowd.winoground.exporting.rows import (
    answer_rows,
    asked_examples,
    example_rows,
    full_rows,
)
from crowd.winoground.models import Project
from hits.datasets.writing import Counting, write_rows
from hits.errors import CrowdError
from hits.exports import Export, Naming, Tell, Wanted, salt_of
from hits.models import Study


class WinogroundExport(Export):
    """A file of examples; in the full form where they come from, and another file of every answer."""

    family: ClassVar[str] = "winoground"
    sources: ClassVar[tuple[str, ...]] = ()

    def export(
        self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        project = project_of(wanted.study)
        examples = asked_examples(project, everything=wanted.everything)
        naming = Naming(family=self.family, salt=salt_of(wanted.study, linkable=wanted.linkable))
        rows = full_rows(project, examples, naming=naming) if wanted.full else example_rows(project, examples)
        count = Counting(examples.count(), tell)
        path = folder / f"{'full' if wanted.full else 'examples'}.{wanted.format}"
        columns = FULL if wanted.full else EXAMPLES
        written = write_rows(path, columns, count.through(rows), form=wanted.format)
        report = {
            **written,
            "file": str(path),
            "rows": count.done,
            "study": wanted.study.name,
            "exported_at": now.isoformat(),
        }
        if wanted.full:
            answers = answer_rows(examples, naming=naming)
            path = folder / f"answers.{wanted.format}"
            report["answers"] = write_rows(path, ANSWERS, answers, form=wanted.format)
        return report


def project_of(study: Study) -> Project:
    project = Project.objects.filter(study=study).first()
    if project is None:
        raise CrowdError(f"The study “{study}” has no caption matching.")
    return project

"""What `manage.py export whoops` and the download in the admin write."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from crowd.whoops.exporting.columns import FULL, IMAGES
from crowd.whoops.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.exporting.judged_rows import read_answers, read_options
from crowd.whoops.exporting.rows import exported_images, full_rows, image_rows
from crowd.whoops.models import Project
from hits.datasets import columns
from hits.datasets.columns import Row
from hits.datasets.writing import Counting, write_rows
from hits.errors import CrowdError
from hits.exports import Export, Naming, Tell, Wanted, salt_of
from hits.models import Study

COLUMNS = {"images": IMAGES, "full": FULL, "questions": QUESTIONS, "answers": ANSWERS}


class WhoopsExport(Export):
    """A file of images and one of what was judged; in the full form where all is from, and every answer."""

    family: ClassVar[str] = "whoops"
    sources: ClassVar[tuple[str, ...]] = ()

    def export(
        self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        project = project_of(wanted.study)
        naming = Naming(family=self.family, salt=salt_of(wanted.study, linkable=wanted.linkable))
        first, *others = ("full", "questions", "answers") if wanted.full else ("images", "questions")
        count = Counting(exported_images(project, everything=wanted.everything).count(), tell)
        path = folder / f"{first}.{wanted.format}"
        rows = rows_of(project, first, everything=wanted.everything, naming=naming)
        written = write_rows(path, COLUMNS[first], count.through(rows), form=wanted.format)
        report = {
            **written,
            "file": str(path),
            "rows": count.done,
            "study": wanted.study.name,
            "exported_at": now.isoformat(),
        }
        for name in others:
            rows = rows_of(project, name, everything=wanted.everything, naming=naming)
            path = folder / f"{name}.{wanted.format}"
            report[name] = write_rows(path, COLUMNS[name], rows, form=wanted.format)
        return report


def rows_of(project: Project, what: str, *, everything: bool, naming: Naming) -> Iterator[Row]:
    images = exported_images(project, everything=everything)
    made: Mapping[str, Iterator[Row]] = {
        "images": image_rows(images, naming=naming),
        "full": full_rows(images, naming=naming),
        "questions": columns.rows_of(QUESTIONS, read_options(project, everything=everything)),
        "answers": columns.rows_of(
            ANSWERS, read_answers(project, everything=everything), person=naming.person
        ),
    }
    return made[what]


def project_of(study: Study) -> Project:
    project = Project.objects.filter(study=study).first()
    if project is None:
        raise CrowdError(f"The study “{study}” has no weird images.")
    return project

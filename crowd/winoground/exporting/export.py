"""The files that `manage.py export winoground` and the download in the admin write."""

from functools import partial
from typing import ClassVar

from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, FULL
from crowd.winoground.exporting.rows import asked_examples, read_answers, read_examples
from crowd.winoground.models import Project
from hits.data.exports import DataFile
from hits.data.project_exports import ProjectExport

FILES = {
    "examples": DataFile(
        words="Examples, with captions, images, tags and people's scores",
        columns=EXAMPLES,
        read=read_examples,
    ),
    "full": DataFile(
        words="Examples in full: also who wrote them and when",
        columns=FULL,
        read=partial(read_examples, in_full=True),
    ),
    "answers": DataFile(
        words="Answers: a row for every answer that counts", columns=ANSWERS, read=read_answers
    ),
}


class WinogroundExport(ProjectExport):
    """A file of examples; in full also their provenance, and another file of every answer."""

    family: ClassVar[str] = "winoground"
    sources: ClassVar[tuple[str, ...]] = ()
    projects = Project
    about = "caption matching"
    files = FILES
    published = ("examples",)
    full = ("full", "answers")

    def count(self, project: Project, *, everything: bool) -> int:
        return asked_examples(project, everything=everything).count()

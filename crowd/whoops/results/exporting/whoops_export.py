"""The files that `manage.py export whoops` and the download in the admin write."""

from functools import partial
from typing import ClassVar

from crowd.whoops.models import Project
from crowd.whoops.results.exporting.columns import FULL, IMAGES
from crowd.whoops.results.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.results.exporting.judged_rows import read_answers, read_options
from crowd.whoops.results.exporting.rows import exported_images, read_images
from hits.data.exports import DataFile
from hits.data.project_exports import ProjectExport

FILES = {
    "images": DataFile(
        words="Images, each with its annotations, its category and how it was made",
        columns=IMAGES,
        read=read_images,
    ),
    "full": DataFile(
        words="Images in full: also revisions, the control group, who annotated and when",
        columns=FULL,
        read=partial(read_images, in_full=True),
    ),
    "questions": DataFile(
        words="Questions: each thing that people judged, with its votes",
        columns=QUESTIONS,
        read=read_options,
    ),
    "answers": DataFile(
        words="Answers: a row for every vote that counts", columns=ANSWERS, read=read_answers
    ),
}


class WhoopsExport(ProjectExport):
    """Files of images and of judged questions; in full also their provenance, and every answer."""

    family: ClassVar[str] = "whoops"
    sources: ClassVar[tuple[str, ...]] = ()
    projects = Project
    about = "weird images"
    files = FILES
    published = ("images", "questions")
    full = ("full", "questions", "answers")

    def count(self, project: Project, *, everything: bool) -> int:
        return exported_images(project, everything=everything).count()

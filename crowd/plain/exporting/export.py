"""Export of questions of one's own, by `manage.py export plain` and by the download in the admin."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any, ClassVar

from crowd.plain.exporting.columns import answer_columns, row_columns
from crowd.plain.exporting.lines import read_answers, read_rows
from crowd.plain.models import Description, Project
from hits.core.errors import CrowdError
from hits.data.exports import DataFile
from hits.data.project_exports import ProjectExport
from hits.studies.models import Study


class PlainExport(ProjectExport):
    """Export of one version of the page: rows with majorities, and in full another file with every answer."""

    family: ClassVar[str] = "plain"
    sources: ClassVar[tuple[str, ...]] = ()
    projects = Project
    about = "questions of its own"
    published = ("rows",)
    full = ("rows", "answers")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--page", type=int, help="which version of the page; the newest that was asked")

    def source_in(self, study: Study, **options: Any) -> Description:
        asked = Description.objects.filter(project__study=study, asked_at__isnull=False)
        version = options.get("page")
        asked = asked if version is None else asked.filter(version=version)
        description = asked.order_by("-version").first()
        if description is None:
            raise CrowdError(f"The study “{study}” has asked no questions of its own by this page.")
        return description

    def files_of(self, source: Description) -> Mapping[str, DataFile]:
        """The files, whose columns follow from the page."""
        page = source.page
        answers = "Answers: a line for every answer that counts"
        return {
            "rows": DataFile(
                words="Rows, with what most have said", columns=row_columns(page), read=read_rows
            ),
            "answers": DataFile(words=answers, columns=answer_columns(page), read=read_answers),
        }

    def count(self, source: Description, *, everything: bool) -> int:
        return source.rows.filter(item__isnull=False).count()

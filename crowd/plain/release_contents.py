"""What a release of questions of one's own has: rows with what most have said, and every answer."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.template.loader import render_to_string

from crowd.pictures.columns import picture_columns
from crowd.pictures.models import Picture
from crowd.plain.domain.pages import Page
from crowd.plain.exporting.columns import answer_columns, row_columns
from crowd.plain.exporting.export import PlainExport
from crowd.plain.models import Description
from crowd.releases.family_contents import ExamplePicture, ReleaseExample, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.project_contents import ProjectContents
from hits.core.errors import CrowdError
from hits.datasets.columns import Column, Row
from hits.studies.models import Study

# Beginnings of the names of columns: what was uploaded, and people's answers.
INPUT, MAJORITY = "Input.", "Majority."
ANSWERS = (MAJORITY, "Tied.", "Answers.", "Share.", "Mean.")


def _picture(name: str) -> Callable[[Any], Picture | None]:
    return lambda line: next((one.picture for one in line.row.pictures.all() if one.column == name), None)


def _columns(page: Page) -> Sequence[Column]:
    shown = (one for name in page.pictures for one in picture_columns(name, name, of=_picture(name)))
    return (*row_columns(page), *shown)


class PlainContents(ProjectContents):
    family: ClassVar[str] = "plain"
    items: ClassVar[str] = "rows"
    export = PlainExport()
    parts: ClassVar[Sequence[str]] = ("rows", "answers")
    rest_label: ClassVar[str] = "Include rows that nobody has answered"

    def source_of(self, release: Release) -> Description:
        """The version of the page that was the newest at the release's moment, whatever is asked later."""
        asked = Description.objects.filter(project__study=release.study, asked_at__lte=release.made_at)
        found = asked.order_by("-version").first()
        if found is None:
            raise CrowdError(f"The study “{release.study}” has asked no questions of its own.")
        return found

    def columns(self, release: Release, part: str) -> Sequence[Column]:
        page = self.source_of(release).page
        return _columns(page) if part == "rows" else answer_columns(page)

    def files(self, release: Release) -> Sequence[ReleaseFile]:
        page = self.source_of(release).page
        columns = _columns(page)
        return [
            ReleaseFile(
                name="rows", words="Rows, with what most have said", part="rows", columns=columns, item="row",
                labels=[one.name for one in columns if one.name.startswith(ANSWERS)],
                images={f"{name}_image": f"{name}_sha256" for name in page.pictures},
            ),
            ReleaseFile(
                name="answers", words="A row for every answer that counts", part="answers",
                columns=answer_columns(page), item="row", tells=True,
            ),
        ]  # fmt: skip

    def prefixes_of(self, row: Row) -> Sequence[str]:
        """The columns of pictures follow from the page."""
        return [name.removesuffix("_sha256") for name in row if name.endswith("_sha256")]

    def example(self, row: Row) -> ReleaseExample:
        pictures = [ExamplePicture(name=one.name, sha256=one.sha256) for one in self.pictures_of(row)]
        shown = {f"{INPUT}{prefix}" for prefix in self.prefixes_of(row)}
        texts = [
            *((name, value) for name, value in row.items() if name.startswith(INPUT) and name not in shown),
            *((name, ", ".join(value)) for name, value in row.items() if name.startswith(MAJORITY)),
        ]
        return ReleaseExample(words=f"Row {row['row']}", pictures=pictures, texts=texts)

    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        rows = Description.objects.filter(project__study=study, rows__item__isnull=False)
        return Picture.objects.filter(pk__in=rows.values("rows__pictures__picture"))

    def card(self, release: Release) -> str:
        page = self.source_of(release).page
        return render_to_string("plain/release_card.md", {"release": release, "page": page})

"""Models' scores: uploaded as files, replaced, and removed."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import URLPattern, reverse

from crowd.winoground.admin.results import ADD, REMOVE, Pages, find
from crowd.winoground.models.caption_scores import ModelScores
from crowd.winoground.queries.scoring import scored_examples
from crowd.winoground.services.score_files import COLUMNS, EXAMPLE, LONG, WIDE
from crowd.winoground.services.uploading import SCORES
from hits.admin.data.result_forms import UploadedFile
from hits.admin.data.result_pages import ResultsPages
from hits.admin.data.take_files import send_csv
from hits.common.spreadsheets import Cell
from hits.common.uploads import UploadedColumn, example_file

TEMPLATE = (EXAMPLE, "number", "caption_0", "caption_1", "image_0_sha256", "image_1_sha256", *WIDE)
ABOUT = (
    "A row for each example, or one for each combination of a caption and an image, with a number for "
    "every combination: the larger, the better they match. Only which of two is larger counts; equal "
    "numbers are a tie, which is wrong. The file to fill in has every example, its captions and the SHA-256 "
    "of its images. An example whose four cells are empty is left out, and is open for this model."
)
NOTHING = (
    "No example is scored yet. Have workers asked about some first: from then on their captions and images "
    "stay as they are."
)
PICTURES = ("image_0__sha256", "image_1__sha256")


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/results/models/template.csv", template_view, "scores_template"),
        *PAGES.urls(pages, "results/models"),
    ]


def template_view(pages: Pages, request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Send every scored example, with cells to fill in. Rows with empty ones are left out when uploaded."""
    project = find(pages, request, pk)
    file = f"study-{str(project.study.public_id)[:8]}-scores.csv"
    return send_csv(TEMPLATE, _template_rows(project), name=file)


def _template_rows(project: Any) -> Iterator[Sequence[Cell]]:
    rows = scored_examples(project).values_list("public_id", "number", "caption_0", "caption_1", *PICTURES)
    for public_id, *cells in rows:
        yield (str(public_id), *cells, *("" for _ in WIDE))


def _file(project: Any) -> UploadedFile:
    example = scored_examples(project).first()
    number = str(example.number if example else 1)
    long = (number, "0", "0", "0.81"), (number, "0", "1", "0.40")
    return UploadedFile(
        columns=COLUMNS,
        about=ABOUT,
        examples=[
            example_file(_named(EXAMPLE, *WIDE), (number, "0.81", "0.40", "0.35", "0.77")),
            example_file(_named(EXAMPLE, *LONG), *long),
        ],
        note="" if example else NOTHING,
        fill_in=reverse("admin:winoground_scores_template", args=[project.pk]),
    )


def _named(*names: str) -> Sequence[UploadedColumn]:
    return [column for column in COLUMNS if column.name in names]


def _count(model: ModelScores) -> int:
    return model.rows.values("pairing__example").distinct().count()


PAGES = ResultsPages(
    results=SCORES,
    key="scores",
    what="scores",
    thing="example",
    add=ADD,
    remove=REMOVE,
    page="results",
    title="Scores",
    file=_file,
    count=_count,
    lacking="The file says nothing of {} further examples. They are open for this model.",
    base="admin/hits/project_base.html",
    find=find,
)

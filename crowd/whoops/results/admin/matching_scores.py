"""Models' scores of detailed and underspecified captions: uploaded, replaced and removed."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import URLPattern

from crowd.whoops.images.admin.addresses import page_url
from crowd.whoops.models import Annotation, Project
from crowd.whoops.results.admin.statistics import ADD, REMOVE, Pages
from crowd.whoops.results.queries.matching_results import pairs
from crowd.whoops.results.services.matching_scores import MATCHING
from hits.admin.data.result_forms import UploadedFile
from hits.admin.data.result_pages import ResultsPages
from hits.admin.data.take_files import send_lines
from hits.common.uploads import example_file
from hits.core.chunks import in_chunks
from hits.datasets.text_formats import json_line

AT_ONCE = 200
ABOUT = (
    "Each annotation of an image has a detailed caption and an underspecified one. A model scores both "
    "against the image: the larger, the better they match. Only which of the two is larger counts; equal "
    "numbers are a tie, which is wrong. The file to fill in is JSON Lines, with both texts and the SHA-256 "
    "of the image. A line without any of both numbers is left out."
)


def matching_urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/matching/template.jsonl", template_view, "matching_template"),
        *PAGES.urls(pages, "matching"),
    ]


def template_view(pages: Pages, request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Send every pair with its texts, to be scored and uploaded. Rows without scores are then left out."""
    project = pages.find(request, pk)
    file = f"study-{str(project.study.public_id)[:8]}-matching.jsonl"
    return send_lines(_template_lines(project), name=file, kind="jsonl")


def _template_lines(project: Project) -> Iterator[bytes]:
    for some in in_chunks(pairs(project).select_related("image__picture"), size=AT_ONCE):
        yield from (json_line(_template_row(one)) for one in some)


def _template_row(pair: Annotation) -> dict[str, Any]:
    return {
        "image": pair.image.number,
        "image_sha256": pair.image.picture.sha256,
        "annotation": pair.pk,
        "detailed_text": pair.caption,
        "underspecified_text": pair.underspecified,
        "detailed": None,
        "underspecified": None,
    }


def _file(project: Project) -> UploadedFile:
    example = pairs(project).order_by("image__number", "pk").first()
    return UploadedFile(
        columns=MATCHING.columns,
        about=ABOUT,
        examples=[example_file(MATCHING.columns, (str(example.pk if example else 1), "0.81", "0.40"))],
        note="" if example else "No annotation counts yet, so there is no pair of captions to score.",
        fill_in=page_url("matching_template", project),
    )


PAGES = ResultsPages(
    results=MATCHING,
    key="matching",
    what="matching scores",
    thing="pair",
    add=ADD,
    remove=REMOVE,
    page="statistics",
    title="Statistics",
    anchor="#matching",
    file=_file,
    count=lambda scores: scores.rows.count(),
    lacking="The file has no scores of {} further pairs.",
)

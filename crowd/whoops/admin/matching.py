"""Models' scores of detailed and underspecified captions come as files, are replaced, and are removed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.whoops.admin.statistics import ADD, REMOVE, Hub
from crowd.whoops.models import Annotation, MatchingScores, Project
from crowd.whoops.queries.matching import pairs
from crowd.whoops.services.matching import MATCHING, add_scores, remove_scores, replace_scores
from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome, emphasize
from hits.admin.hub_actions import project_actions
from hits.admin.results import ResultsForm, answer_upload
from hits.admin.selecting import signed_in
from hits.admin.taking import send_lines
from hits.datasets.texts import json_line
from hits.queries.chunks import in_chunks
from hits.services.results import Upload

UPLOAD = "Upload a model's matching scores"
AT_ONCE = 200


def matching_urls(hub: Hub) -> list[URLPattern]:
    return [
        hub.at("<int:pk>/matching/upload/", upload_view, "upload_matching"),
        hub.at("<int:pk>/matching/template.jsonl", template_view, "matching_template"),
        hub.at("<int:pk>/matching/<int:scores>/replace/", replace_view, "replace_matching"),
        hub.at("<int:pk>/matching/<int:scores>/remove/", remove_view, "remove_matching"),
    ]


def upload_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponse:
    project = hub.find(request, pk, ADD)
    form = ResultsForm(request, results=MATCHING)
    take = partial(add_scores, project=project, by=signed_in(request), now=timezone.now())
    return _answer(hub, request, project, form, None, take=take)


def replace_view(hub: Hub, request: HttpRequest, pk: int, scores: int) -> HttpResponse:
    project = hub.find(request, pk, ADD, REMOVE)
    chosen = _find(project, scores)
    form = ResultsForm(request, results=MATCHING, made=chosen)
    take = partial(replace_scores, scores=chosen, by=signed_in(request), now=timezone.now())
    return _answer(hub, request, project, form, chosen, take=take)


def remove_view(hub: Hub, request: HttpRequest, pk: int, scores: int) -> HttpResponse:
    return _removing(hub).answer(request, "remove", pk=pk, scores=scores)


def template_view(hub: Hub, request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Every pair with its texts, to be scored and sent back. Rows without scores are left out then."""
    project = hub.find(request, pk)
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


def _removing(hub: Hub) -> ActionPages[MatchingScores]:
    def find(request: HttpRequest, pk: int, scores: int) -> Sequence[MatchingScores]:
        return [_find(hub.find(request, pk, REMOVE), scores)]

    def back(found: MatchingScores) -> str:
        return hub.address(found.project, "statistics")

    remove = Action(label="Remove the scores", confirm=_ask_to_remove, run=_remove, is_grave=True)
    return project_actions(
        hub, {"remove": remove}, find=find, back=back, trail=lambda found: [("Statistics", back(found))]
    )


def _ask_to_remove(call: Call[MatchingScores]) -> Confirm:
    scores, count = call.row, call.row.rows.count()
    return Confirm(
        title=f"Remove the matching scores of {scores}?",
        text=emphasize(
            "You remove the matching scores of {} for {pairs} of {}. "
            "Only the file they came from can bring them back.",
            scores.name,
            scores.project.study,
            pairs="1 pair" if count == 1 else f"{count} pairs",
        ),
    )


def _remove(call: Call[MatchingScores]) -> Outcome:
    remove_scores(scores=call.row)
    return Outcome(
        said=f"The matching scores of {call.row} are removed.",
        history=f"The matching scores of {call.row} were removed.",
    )


def _find(project: Project, pk: int) -> MatchingScores:
    return get_object_or_404(
        MatchingScores.objects.select_related("added_by", "project__study"), pk=pk, project=project
    )


def _answer(
    hub: Hub,
    request: HttpRequest,
    project: Project,
    form: ResultsForm,
    scores: MatchingScores | None,
    *,
    take: Callable[..., Upload[MatchingScores]],
) -> HttpResponse:
    def done(upload: Upload[MatchingScores]) -> HttpResponse:
        _tell(hub, request, project, upload, "replaced" if scores else "uploaded")
        return redirect(f"{hub.address(project, 'statistics')}#matching")

    def show(found: Mapping[str, Any]) -> HttpResponse:
        context = {
            "title": f"Replace the matching scores of {scores}" if scores else UPLOAD,
            "made": scores,
            "count": scores.rows.count() if scores else 0,
            "pairs": pairs(project).count(),
            "example": pairs(project).select_related("image").order_by("image__number", "pk").first(),
            **found,
        }
        return hub.render(request, "admin/whoops/matching_upload.html", context, project=project)

    return answer_upload(request, form, take=lambda values: take(**values), done=done, show=show)


def _tell(
    hub: Hub, request: HttpRequest, project: Project, upload: Upload[MatchingScores], verb: str
) -> None:
    hub.log_change(request, project, f"The matching scores of {upload.made} were {verb}.")
    messages.success(request, f"The scores of {upload.made} for {upload.count} pairs are counted.")
    if upload.missing:
        messages.warning(request, f"The file has no scores of {upload.missing} further pairs.")

"""Models' scores come as files, are replaced, and are removed again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.winoground.admin.results import ADD, REMOVE, Hub, find
from crowd.winoground.models import ModelScores
from crowd.winoground.queries.scoring import scored_examples
from crowd.winoground.services.score_files import EXAMPLE, WIDE
from crowd.winoground.services.uploading import SCORES, add_model, remove_model, replace_model
from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome, emphasize
from hits.admin.hub_actions import project_actions
from hits.admin.results import ResultsForm, answer_upload
from hits.admin.selecting import signed_in
from hits.admin.taking import send_csv
from hits.common.spreadsheets import Cell
from hits.services.results import Upload

TEMPLATE = (EXAMPLE, "number", "caption_0", "caption_1", "image_0_sha256", "image_1_sha256", *WIDE)
PICTURES = ("image_0__sha256", "image_1__sha256")


def urls(hub: Hub) -> list[URLPattern]:
    return [
        hub.at("<int:pk>/results/models/upload/", upload_view, "upload_scores"),
        hub.at("<int:pk>/results/models/template.csv", template_view, "scores_template"),
        hub.at("<int:pk>/results/models/<int:model>/replace/", replace_view, "replace_scores"),
        hub.at("<int:pk>/results/models/<int:model>/remove/", remove_view, "remove_scores"),
    ]


def upload_view(hub: Hub, request: HttpRequest, pk: int) -> HttpResponse:
    project = find(hub, request, pk, ADD)
    form = ResultsForm(request, results=SCORES)
    take = partial(add_model, project=project, by=signed_in(request), now=timezone.now())
    return _answer(hub, request, project, form, None, take=take)


def replace_view(hub: Hub, request: HttpRequest, pk: int, model: int) -> HttpResponse:
    project = find(hub, request, pk, ADD, REMOVE)
    chosen = get_object_or_404(ModelScores.objects.select_related("project"), pk=model, project=project)
    form = ResultsForm(request, results=SCORES, made=chosen)
    take = partial(replace_model, model=chosen, by=signed_in(request), now=timezone.now())
    return _answer(hub, request, project, form, chosen, take=take)


def remove_view(hub: Hub, request: HttpRequest, pk: int, model: int) -> HttpResponse:
    return _removing(hub).answer(request, "remove", pk=pk, model=model)


def template_view(hub: Hub, request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Every example that is scored, with cells to fill in. Empty ones are left out when it comes back."""
    project = find(hub, request, pk)
    file = f"study-{str(project.study.public_id)[:8]}-scores.csv"
    return send_csv(TEMPLATE, _template_rows(project), name=file)


def _template_rows(project: Any) -> Iterator[Sequence[Cell]]:
    rows = scored_examples(project).values_list("public_id", "number", "caption_0", "caption_1", *PICTURES)
    for public_id, *cells in rows:
        yield (str(public_id), *cells, *("" for _ in WIDE))


def _answer(
    hub: Hub,
    request: HttpRequest,
    project: Any,
    form: ResultsForm,
    model: ModelScores | None,
    *,
    take: Callable[..., Upload[ModelScores]],
) -> HttpResponse:
    def done(upload: Upload[ModelScores]) -> HttpResponse:
        _tell(hub, request, project, upload, "replaced" if model else "uploaded")
        return redirect(hub.address(project, "results"))

    def show(found: Mapping[str, Any]) -> HttpResponse:
        context = {
            "title": f"Replace the scores of {model}" if model else "Upload a model's scores",
            "made": model,
            "count": _count(model) if model else 0,
            "example": scored_examples(project).first(),
            **found,
        }
        return hub.render(request, "admin/winoground/result_upload.html", context, project=project)

    return answer_upload(request, form, take=lambda values: take(**values), done=done, show=show)


def _tell(hub: Hub, request: HttpRequest, project: Any, upload: Upload[ModelScores], verb: str) -> None:
    hub.log_change(request, project, f"The scores of {upload.made} were {verb}.")
    messages.success(request, f"The scores of {upload.made} for {upload.count} examples are counted.")
    if upload.missing:
        words = f"The file says nothing of {upload.missing} further examples. They are open for this model."
        messages.warning(request, words)


def _removing(hub: Hub) -> ActionPages[ModelScores]:
    def find_scores(request: HttpRequest, pk: int, model: int) -> Sequence[ModelScores]:
        scores = ModelScores.objects.select_related("project__study")
        return [get_object_or_404(scores, pk=model, project=find(hub, request, pk, REMOVE))]

    def back(model: ModelScores) -> str:
        return hub.address(model.project, "results")

    remove = Action(label="Remove the scores", confirm=_ask_to_remove, run=_remove, is_grave=True)
    base, trail = "admin/winoground/results_base.html", (lambda model: [("Scores", back(model))])
    return project_actions(hub, {"remove": remove}, find=find_scores, back=back, base=base, trail=trail)


def _ask_to_remove(call: Call[ModelScores]) -> Confirm:
    model, count = call.row, _count(call.row)
    examples = "1 example" if count == 1 else f"{count} examples"
    return Confirm(
        title=f"Remove the scores of {model}?",
        text=emphasize(
            "You remove the scores of {} for {examples} of {}. "
            "Only the file they came from can bring them back.",
            model.name,
            model.project.study,
            examples=examples,
        ),
    )


def _remove(call: Call[ModelScores]) -> Outcome:
    remove_model(model=call.row)
    return Outcome(
        said=f"The scores of {call.row} are removed.", history=f"The scores of {call.row} were removed."
    )


def _count(model: ModelScores) -> int:
    return model.rows.values("pairing__example").distinct().count()

"""Other models: asked about the challenge set or beside the project's own, uploaded, and removed again."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.winoventi.admin.finding import ASK_MODEL, DROP_MODEL, find_project, render
from crowd.winoventi.admin.step_forms import AskModelForm
from crowd.winoventi.domain import GENERIC
from crowd.winoventi.models import Evaluation, Project, valid_pairs
from crowd.winoventi.services import evaluating, filtering, reading
from crowd.winoventi.services.uploading import ANSWERS, replace_evaluation, upload_evaluation
from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome, emphasize
from hits.admin.results import ResultsForm, answer_upload
from hits.admin.selecting import need, signed_in
from hits.errors import RuleBroken
from hits.services.results import Upload

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    def at(address: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
        shown = projects.admin_site.admin_view(partial(view, projects))
        return path(f"<int:pk>/models/{address}", shown, name=f"winoventi_{name}")

    return [
        at("ask/", ask_view, "ask_model"),
        at("upload/", upload_view, "upload_model"),
        at("<int:evaluation_id>/replace/", replace_view, "replace_model"),
        at("<int:evaluation_id>/remove/", remove_view, "remove_model"),
    ]


def ask_view(projects: Projects, request: HttpRequest, pk: int) -> HttpResponse:
    """The form is shown first: what a model is asked may take it hours."""
    project = find_project(request, pk, ASK_MODEL)
    form = AskModelForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        rival, now = form.cleaned_data["rival"], timezone.now()
        try:
            if "read" in request.POST:
                reading.start_reading(project=project, rival=rival, now=now)
                said = f"The model {rival} reads the nouns, to be compared with the project's own model."
            elif "score" in request.POST:
                filtering.start_filter(project=project, rival=rival, now=now)
                said = f"The model {rival} scores the exceptions. That is only recorded."
            else:
                by, way = signed_in(request), form.cleaned_data["way"]
                evaluating.start_evaluation(project=project, rival=rival, by=by, now=now, way=way)
                said = f"The model {rival} answers the challenge set."
        except RuleBroken as refusal:
            form.add_error("rival", str(refusal))
        else:
            projects.log_change(request, project, f"The model {rival} was asked.")
            messages.success(request, f"{said} This page says how far it is.")
            return redirect("admin:winoventi_statistics", project.pk)
    context = {"title": "Ask a model", "project": project, "form": form}
    return render(projects, request, "ask_model", context)


def upload_view(projects: Projects, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk, ASK_MODEL)
    take = partial(upload_evaluation, project=project, by=signed_in(request), now=timezone.now())
    return _answer(projects, request, project, None, take=take)


def replace_view(projects: Projects, request: HttpRequest, pk: int, evaluation_id: int) -> HttpResponse:
    project = find_project(request, pk, ASK_MODEL)
    need(request, DROP_MODEL)
    uploaded = Evaluation.objects.filter(rival=None).select_related("added_by", "project")
    chosen = get_object_or_404(uploaded, pk=evaluation_id, project=project)
    take = partial(replace_evaluation, evaluation=chosen, by=signed_in(request), now=timezone.now())
    return _answer(projects, request, project, chosen, take=take)


def _answer(
    projects: Projects,
    request: HttpRequest,
    project: Project,
    evaluation: Evaluation | None,
    *,
    take: Callable[..., Upload[Evaluation]],
) -> HttpResponse:
    def done(upload: Upload[Evaluation]) -> HttpResponse:
        verb = "replaced" if evaluation else "uploaded"
        projects.log_change(request, project, f"Answers of {upload.made} were {verb}.")
        messages.success(request, f"The answers of {upload.made} are counted.")
        return redirect("admin:winoventi_statistics", project.pk)

    def show(found: Mapping[str, Any]) -> HttpResponse:
        first = valid_pairs(project).order_by("pk").first()
        context = {
            "title": f"Replace the answers of {evaluation}" if evaluation else "Upload a model's answers",
            "project": project,
            "made": evaluation,
            "count": evaluation.answers.count() if evaluation else 0,
            "example": evaluating.prompt_id(first.pk, GENERIC) if first else "",
            **found,
        }
        return render(projects, request, "upload_model", context)

    form = ResultsForm(request, results=ANSWERS, made=evaluation)
    return answer_upload(request, form, take=lambda values: take(**values), done=done, show=show)


def remove_view(projects: Projects, request: HttpRequest, pk: int, evaluation_id: int) -> HttpResponse:
    return _removing(projects).answer(request, "remove", pk=pk, evaluation_id=evaluation_id)


def _removing(projects: Projects) -> ActionPages[Evaluation]:
    def find(request: HttpRequest, pk: int, evaluation_id: int) -> Sequence[Evaluation]:
        rows = Evaluation.objects.select_related("project__study", "rival")
        return [get_object_or_404(rows, pk=evaluation_id, project=find_project(request, pk))]

    return ActionPages(
        actions={
            "remove": Action(
                label="Remove the answers",
                permissions=[DROP_MODEL],
                confirm=_ask_to_remove,
                run=_remove,
                is_grave=True,
            )
        },
        find=find,
        back=lambda evaluations: reverse("admin:winoventi_statistics", args=[evaluations[0].project_id]),
        base="admin/winoventi/base.html",
        shared=lambda evaluations: {"opts": Project._meta, "project": evaluations[0].project},
        history=lambda request, evaluations, words: projects.log_change(
            request, evaluations[0].project, words
        ),
    )


def _ask_to_remove(call: Call[Evaluation]) -> Confirm:
    comes_back = (
        "It can be asked again." if call.row.rival else "Only the file it came from can bring it back."
    )
    return Confirm(
        title=f"Remove {call.row}?",
        text=emphasize(
            "You remove what {} answered on the challenge set of {}. {comes_back} "
            "The Intersection of the other models changes.",
            call.row.name,
            call.row.project.study,
            comes_back=comes_back,
        ),
    )


def _remove(call: Call[Evaluation]) -> Outcome:
    call.row.delete()
    return Outcome(
        said=f"The answers of {call.row} are removed.", history=f"Answers of {call.row} were removed."
    )

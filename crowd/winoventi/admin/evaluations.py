"""Other models: asked about the challenge set or beside the project's own, uploaded, and removed again."""

from collections.abc import Callable, Sequence
from functools import partial

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.winoventi.admin.finding import ASK_MODEL, DROP_MODEL, find_project, render
from crowd.winoventi.admin.step_forms import AskModelForm, UploadForm
from crowd.winoventi.domain import GENERIC
from crowd.winoventi.models import Evaluation, Project, valid_pairs
from crowd.winoventi.services import evaluating, filtering, reading
from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome, emphasize
from hits.admin.selecting import signed_in
from hits.errors import InvalidItems, RuleBroken

Projects = admin.ModelAdmin[Project]


def urls(projects: Projects) -> list[URLPattern]:
    def at(address: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
        shown = projects.admin_site.admin_view(partial(view, projects))
        return path(f"<int:pk>/models/{address}", shown, name=f"winoventi_{name}")

    return [
        at("ask/", ask_view, "ask_model"),
        at("upload/", upload_view, "upload_model"),
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
    form = UploadForm(request.POST or None, request.FILES or None)
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            made = evaluating.upload_evaluation(
                project=project, by=signed_in(request), now=timezone.now(), **form.cleaned_data
            )
        except InvalidItems as refusal:
            problems = refusal.problems
        except RuleBroken as refusal:
            form.add_error("name", str(refusal))
        else:
            projects.log_change(request, project, f"Answers of {made} were uploaded.")
            messages.success(request, f"The answers of {made} are counted.")
            return redirect("admin:winoventi_statistics", project.pk)
    first = valid_pairs(project).order_by("pk").first()
    context = {
        "title": "Upload a model's answers",
        "project": project,
        "form": form,
        "problems": problems,
        "example": evaluating.prompt_id(first.pk, GENERIC) if first else "",
    }
    return render(projects, request, "upload_model", context)


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

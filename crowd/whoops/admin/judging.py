"""What people judge of weird images: a panel for each task, and what is made of the data by a click."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.whoops import domain
from crowd.whoops.admin.addresses import page_url
from crowd.whoops.admin.question_list import questions_url
from crowd.whoops.models import Option, Project, Question
from crowd.whoops.queries.questions import Standing, Tallied, count_questions, unexplained
from crowd.whoops.services.explaining import gather_explanations, make_explanations
from crowd.whoops.services.identifying import draw_pairs, make_pairs, unpaired
from hits.admin.hubs import Figure, HubAdmin, Panel, Way
from hits.errors import RuleBroken
from hits.models import Batch, User

ADD = "whoops.add_question"
SEED_HELP = "The same seed draws the same. Write it down with your results."
Kind = Question.Kind
# Batches that ask nobody any more.
ENDED = (Batch.Status.DRAINING, Batch.Status.COMPLETE, Batch.Status.CANCELLED)


class PairsForm(forms.Form):
    wanted = forms.IntegerField(
        label="Weird images, in all",
        initial=100,
        min_value=1,
        max_value=100_000,
        help_text="Those that are asked already count among them.",
    )
    seed = forms.IntegerField(initial=1, min_value=0, max_value=2**31, help_text=SEED_HELP)


class ListsForm(forms.Form):
    incomplete = forms.BooleanField(
        label="Also of images whose annotations are not all there yet",
        required=False,
        help_text="What is annotated later makes a further list of the same image.",
    )


def judging_urls(hub: HubAdmin[Any]) -> list[URLPattern]:
    return [
        hub.at("<int:pk>/judging/pairs/", pairs_view, "pairs"),
        hub.at("<int:pk>/judging/explanations/", lists_view, "lists"),
    ]


def identify_panel(project: Project, user: User) -> Panel:
    pairs = count_questions(project, kind=Kind.IDENTIFY, variant=Question.Variant.WEIRD)
    drawn = draw_pairs(project=project, wanted=0, seed=0)
    todo = (
        "" if pairs.all or not drawn.left else f"Draw images: this many have a normal partner: {drawn.left}."
    )
    return _panel(
        project,
        user,
        kind=Kind.IDENTIFY,
        title="Weird or normal",
        about=f"{project.judges_wanted} people say of each weird image and of its normal partner whether it "
        "is weird. Nobody sees both, nor an image that they know from another task.",
        figures=[
            Figure(name="Pairs of images", count=pairs.all),
            Figure(name="Accepted images without a normal partner", count=unpaired(project).count()),
        ],
        ways=[Way(name="Draw images…", url=page_url("pairs", project), is_first=bool(todo))],
        todo=todo,
    )


def explanations_panel(project: Project, user: User) -> Panel:
    lacking = unexplained(project)
    options = Option.objects.filter(question__project=project, question__kind=Kind.EXPLAIN)
    return _panel(
        project,
        user,
        kind=Kind.EXPLAIN,
        title="Explanations",
        about=f"{project.judges_wanted} people mark every acceptable explanation of an image: of annotators, "
        "of the designer, and of models, in no order and without a name.",
        figures=[
            Figure(name="Explanations of annotators", count=options.filter(source=domain.PEOPLE).count()),
            Figure(name="Explanations of models", count=options.exclude(source__in=domain.OURS).count()),
        ],
        ways=[
            Way(name="Make lists…", url=page_url("lists", project), is_first=bool(lacking)),
            _import_way(project, Kind.EXPLAIN, "Import models' explanations…"),
        ],
        todo=f"Make lists: this many images have all their annotations: {lacking}." if lacking else "",
    )


def answers_panel(project: Project, user: User) -> Panel:
    wrong = count_questions(project, kind=Kind.VERIFY, options__label=False)
    return _panel(
        project,
        user,
        kind=Kind.VERIFY,
        title="Questions and answers",
        about=f"{project.judges_wanted} people say whether the answer to a question about an image is right. "
        f"{project.negatives} % are wrong on purpose, and no page tells which.",
        figures=[Figure(name="Wrong on purpose", count=wrong.all)],
        ways=[_import_way(project, Kind.VERIFY, "Import questions and answers…")],
    )


def captions_panel(project: Project, user: User) -> Panel:
    return _panel(
        project,
        user,
        kind=Kind.RATE,
        title="Captions",
        about=f"{project.judges_wanted} people say whether a caption is right for a weird image, or for its "
        "normal or natural partner.",
        ways=[_import_way(project, Kind.RATE, "Import captions…")],
    )


def pairs_view(hub: HubAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Counted first; the click that asks about them says the same numbers again."""
    project = hub.find(request, pk, ADD)
    is_sent = request.method == "POST" or "wanted" in request.GET
    form = PairsForm((request.POST or request.GET) if is_sent else None)
    drawn = draw_pairs(project=project, **form.cleaned_data) if is_sent and form.is_valid() else None
    if request.method == "POST" and drawn is not None:
        try:
            count = make_pairs(project=project, now=timezone.now(), **form.cleaned_data)
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            hub.log_change(request, project, f"{count} pairs of images were drawn: {form.cleaned_data}.")
            messages.success(request, f"Pairs that wait for workers now: {count}. Launch a batch to ask.")
            return redirect(f"{hub.address(project)}#{panel_key(Kind.IDENTIFY)}")
    context = {"title": "Draw images: weird or normal", "form": form, "drawn": drawn}
    return hub.render(request, "admin/whoops/pairs.html", context, project=project)


def lists_view(hub: HubAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = hub.find(request, pk, ADD)
    is_sent = request.method == "POST" or "count" in request.GET
    form = ListsForm((request.POST or request.GET) if is_sent else None)
    incomplete = form.cleaned_data["incomplete"] if is_sent and form.is_valid() else False
    if request.method == "POST":
        try:
            count = make_explanations(project=project, incomplete=incomplete, now=timezone.now())
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            hub.log_change(request, project, f"{count} lists of explanations were made.")
            messages.success(request, f"Lists that wait for workers now: {count}. Launch a batch to ask.")
            return redirect(f"{hub.address(project)}#{panel_key(Kind.EXPLAIN)}")
    context = {
        "title": "Make lists of explanations",
        "form": form,
        "incomplete": incomplete,
        "gathered": gather_explanations(project=project, incomplete=incomplete),
    }
    return hub.render(request, "admin/whoops/lists.html", context, project=project)


def panel_key(kind: str) -> str:
    """Of “whoops.captions” it is “captions”."""
    return kind.removeprefix("whoops.")


def _panel(
    project: Project,
    user: User,
    *,
    kind: str,
    title: str,
    about: str,
    ways: Sequence[Way],
    figures: Sequence[Figure] = (),
    todo: str = "",
) -> Panel:
    counted = count_questions(project, kind=kind)
    listed = [Way(name="Questions", url=questions_url(project, kind=kind))] if counted.of else []
    return Panel(
        key=panel_key(kind),
        title=title,
        about=about,
        figures=[*figures, *_figures(project, kind, counted)],
        ways=[*(ways if user.has_perm(ADD) else ()), *listed],
        next=todo or _launch(project, kind, counted),
        tasks=[kind],
    )


def _figures(project: Project, kind: str, counted: Tallied) -> list[Figure]:
    judged = Figure(
        name="Questions with all their judges",
        count=counted[Standing.JUDGED],
        of=counted.all,
        url=questions_url(project, kind=kind, standing=Standing.JUDGED),
    )
    rare = [
        Figure(
            name=name,
            count=counted[standing],
            url=questions_url(project, kind=kind, standing=standing),
        )
        for name, standing in (
            ("Not asked yet", Standing.WAITING),
            ("Image is away", Standing.AWAY),
            ("Withdrawn", Standing.WITHDRAWN),
        )
        if counted[standing]
    ]
    return [judged, *rare]


def _launch(project: Project, kind: str, counted: Tallied) -> str:
    """What waits, and no batch asks it."""
    waiting = counted[Standing.ASKED]
    batches = Batch.objects.filter(study=project.study_id, task=kind).exclude(status__in=ENDED)
    if not waiting or batches.exists():
        return ""
    return f"Launch a batch: this many questions wait for their judges: {waiting}."


def _import_way(project: Project, kind: str, name: str) -> Way:
    return Way(name=name, url=page_url("import", project, panel_key(kind)))

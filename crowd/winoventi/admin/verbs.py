"""What a click on the pipeline does: asked once more where it costs something, then one call of a service."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winoventi.admin.finding import KEEP, find_project, render
from crowd.winoventi.admin.step_forms import AdvanceForm
from crowd.winoventi.models import Alternative, Project, Step
from crowd.winoventi.services import filtering, posting, reading
from hits.errors import RuleBroken
from scoring.models import RegisteredRival

Kind = Step.Kind
Projects = admin.ModelAdmin[Project]


@dataclass(frozen=True, kw_only=True)
class Verb:
    """`about` says before what it will do, `do` does it and says so."""

    name: str
    kinds: frozenset[str]
    about: Callable[[Project, Step], str]
    do: Callable[[Project, Step, int | None, datetime], str]
    takes_number: bool = False


def urls(projects: Projects) -> list[URLPattern]:
    view = projects.admin_site.admin_view(partial(verb_view, projects))
    return [path("<int:pk>/<slug:kind>/<slug:verb>/do/", view, name="winoventi_do")]


def verb_view(projects: Projects, request: HttpRequest, pk: int, kind: str, verb: str) -> HttpResponse:
    project = find_project(request, pk, KEEP)
    chosen = VERBS.get(verb)
    if chosen is None or kind not in chosen.kinds:
        raise Http404
    step = get_object_or_404(project.steps, kind=kind)
    form = AdvanceForm(request.POST or None) if chosen.takes_number else None
    if request.method == "POST" and (form is None or form.is_valid()):
        most = form.cleaned_data["most"] if form else None
        try:
            said = chosen.do(project, step, most, timezone.now())
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            projects.log_change(request, project, f"{step.get_kind_display()}: {chosen.name}")
            messages.success(request, said)
        return redirect("admin:winoventi_project_change", project.pk)
    context = {
        "title": f"{chosen.name}: {step.get_kind_display()}",
        "project": project,
        "verb": chosen,
        "about": chosen.about(project, step),
        "form": form,
    }
    return render(projects, request, "do", context)


def _about_reading(project: Project, step: Step) -> str:
    rival = project.generics_model
    nouns = reading.unread_nouns(project, rival).count() if rival else project.nouns.count()
    return (
        f"{_named(rival)} is asked for its words in four sentences, for each of {nouns} nouns that it has "
        "not read yet. This costs no money, but it occupies the models' process, "
        "and thousands may take it hours. Statements "
        "that lack a perplexity get theirs after that."
    )


def _read(project: Project, step: Step, most: int | None, now: datetime) -> str:
    inquiry = reading.start_reading(project=project, now=now)
    return f"The model {inquiry.rival} reads the nouns. This page says how far it is."


def _about_filter(project: Project, step: Step) -> str:
    rival, given = project.filter_model, project.alternatives.filter(state=Alternative.State.GIVEN).count()
    return (
        f"{_named(rival)} is asked how likely it finds generic and exception, for each of {given} exceptions "
        "that have no score yet; those that it could not answer it is asked again. What it does not favor "
        "goes no further. This costs no money."
    )


def _score(project: Project, step: Step, most: int | None, now: datetime) -> str:
    inquiry = filtering.score_anew(project=project, now=now)
    return f"The model {inquiry.rival} scores the exceptions. This page says how far it is."


def _named(rival: RegisteredRival | None) -> str:
    return f"The model {rival}" if rival else "No model"


def _about_advancing(project: Project, step: Step) -> str:
    count = posting.waiting_for(project=project, kind=step.kind).count()
    return (
        f"{count} wait for this step. What you let in is asked of workers by the launched batches of the "
        "step, and cannot be called back. A launched batch does not get larger by this."
    )


def _advance(project: Project, step: Step, most: int | None, now: datetime) -> str:
    count = posting.advance(project=project, kind=step.kind, most=most, now=now)
    return f"{count} let in. They are asked once a batch of this step has places for them."


def _about_switching(project: Project, step: Step) -> str:
    if not step.task:
        return "From now on the model is asked about whatever comes in, without a click."
    return (
        "From now on whatever the step before lets through enters this one without a click. The batch of the "
        "step, once it is launched, gets as many HITs as that takes: this spends money, within the study's "
        "budget, on the word of whoever launched the batch."
    )


def _about_waiting(project: Project, step: Step) -> str:
    return f"Nothing more enters “{step.get_kind_display()}” until somebody lets it in."


def _switch(is_on: bool, project: Project, step: Step, most: int | None, now: datetime) -> str:
    project.steps.filter(pk=step.pk).update(by_itself=is_on)
    name = step.get_kind_display()
    return f"“{name}” goes on by itself now." if is_on else f"“{name}” waits for a click now."


ALL = frozenset(Kind.values)
VERBS: Mapping[str, Verb] = {
    "read": Verb(
        name="Read the associations", kinds=frozenset({Kind.GENERICS}), about=_about_reading, do=_read
    ),
    "score": Verb(
        name="Score with the model", kinds=frozenset({Kind.FILTER}), about=_about_filter, do=_score
    ),
    "advance": Verb(
        name="Let in", kinds=frozenset(Step.TASKS), about=_about_advancing, do=_advance, takes_number=True
    ),
    "on": Verb(name="Go on by itself", kinds=ALL, about=_about_switching, do=partial(_switch, True)),
    "off": Verb(
        name="Wait for a click",
        kinds=ALL,
        about=_about_waiting,
        do=partial(_switch, False),
    ),
}

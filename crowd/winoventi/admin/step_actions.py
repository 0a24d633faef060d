"""Actions of the pipeline's buttons: confirmed where they cost something, then one call of a service."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern

from crowd.winoventi.admin.step_forms import AdvanceForm
from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.models import Alternative, Step
from crowd.winoventi.procedure.services import step_items
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from scoring.models import RegisteredRival

Kind = Step.Kind
Pages = ProjectPages[Any]
KEEP = "winoventi.change_project"


def urls(pages: Pages) -> list[URLPattern]:
    return [pages.at("<int:pk>/<slug:kind>/<slug:verb>/do/", action_view, "do")]


def action_view(pages: Pages, request: HttpRequest, pk: int, kind: str, verb: str) -> HttpResponse:
    return actions_of(pages, kind).answer(request, verb, pk=pk)


def actions_of(pages: Pages, kind: str) -> ActionPages[Step]:
    """Actions of a step of this kind. Each step can be made to go on by itself, and to wait again."""

    def find(request: HttpRequest, pk: int) -> Sequence[Step]:
        steps = pages.find(request, pk).steps.select_related("project__study")
        return [get_object_or_404(steps, kind=kind)]

    return project_actions(
        pages,
        {**({"advance": ADVANCE} if kind in Step.TASKS else OF_ONE_KIND.get(kind, {})), **SWITCHES},
        find=find,
        back=lambda step: pages.address(step.project),
        url=lambda step, key: pages.address(step.project, "do", kind, key),
    )


def _ask_to_read(call: Call[Step]) -> Confirm:
    project = call.row.project
    rival = project.generics_model
    nouns = model_readings.unread_nouns(project, rival).count() if rival else project.nouns.count()
    text = (
        f"{_named(rival)} is asked for its words in four sentences, for each of {nouns} nouns that it has "
        "not read yet. This costs no money, but it occupies the models' process, and thousands may take it "
        "hours. Statements that lack a perplexity get theirs after that."
    )
    return Confirm(text=text)


def _read(call: Call[Step]) -> Outcome:
    model_run = model_readings.start_reading(project=call.row.project, now=call.now)
    return _done(call, READ, f"The model {model_run.rival} reads the nouns. This page shows the progress.")


def _ask_to_score(call: Call[Step]) -> Confirm:
    project = call.row.project
    given = project.alternatives.filter(state=Alternative.State.GIVEN).count()
    text = (
        f"{_named(project.filter_model)} is asked how likely it finds generic and exception, for each of "
        f"{given} exceptions that have no score yet; those that it could not answer it is asked again. What "
        "it does not favor goes no further. This costs no money."
    )
    return Confirm(text=text)


def _score(call: Call[Step]) -> Outcome:
    model_run = adversarial_filter.score_anew(project=call.row.project, now=call.now)
    return _done(
        call, SCORE, f"The model {model_run.rival} scores the exceptions. This page shows the progress."
    )


def _named(rival: RegisteredRival | None) -> str:
    return f"The model {rival}" if rival else "No model"


def _ask_to_advance(call: Call[Step]) -> Confirm:
    count = step_items.waiting_for(project=call.row.project, kind=call.row.kind).count()
    text = (
        f"{count} wait for this step. What you advance is asked of workers by the launched batches of the "
        "step, and cannot be called back. A launched batch does not get larger by this."
    )
    return Confirm(text=text)


def _advance(call: Call[Step]) -> Outcome:
    step = call.row
    count = step_items.advance(project=step.project, kind=step.kind, now=call.now, **call.values)
    return _done(
        call, ADVANCE, f"{count} advanced. They are asked once a batch of this step has places for them."
    )


def _ask_to_go_on(call: Call[Step]) -> Confirm:
    if not call.row.task:
        return Confirm(text="From now on the model is asked about whatever comes in, without a click.")
    text = (
        "From now on whatever the step before lets through enters this one without a click. The batch "
        "of the step, once it is launched, gets as many HITs as that takes: this spends money, within the "
        "study's budget, with the approval of the person who launched the batch."
    )
    return Confirm(text=text)


def _ask_to_wait(call: Call[Step]) -> Confirm:
    name = call.row.get_kind_display()
    return Confirm(text=f"Nothing more enters “{name}” until a researcher lets it in.")


def _switch(call: Call[Step], *, to: bool) -> Outcome:
    step = call.row
    step.project.steps.filter(pk=step.pk).update(by_itself=to)
    name = step.get_kind_display()
    said = f"“{name}” goes on by itself now." if to else f"“{name}” waits for a click now."
    return _done(call, GO_ON if to else WAIT, said)


def _done(call: Call[Step], action: Action[Step], said: str) -> Outcome:
    return Outcome(said=said, history=f"{call.row.get_kind_display()}: {action.label}")


READ = Action(
    label="Read the associations", permissions=[KEEP], confirm=_ask_to_read, run=_read, is_first=True
)
SCORE = Action(
    label="Score the exceptions", permissions=[KEEP], confirm=_ask_to_score, run=_score, is_first=True
)
ADVANCE = Action(
    label="Advance what waits",
    permissions=[KEEP],
    form=lambda data, _: AdvanceForm(data),
    confirm=_ask_to_advance,
    run=_advance,
    is_first=True,
)
GO_ON = Action(
    label="Go on by itself",
    permissions=[KEEP],
    offered=lambda step: not step.by_itself,
    confirm=_ask_to_go_on,
    run=partial(_switch, to=True),
)
WAIT = Action(
    label="Wait for a click",
    permissions=[KEEP],
    offered=lambda step: step.by_itself,
    one_click=True,
    confirm=_ask_to_wait,
    run=partial(_switch, to=False),
)
SWITCHES: Mapping[str, Action[Step]] = {"on": GO_ON, "off": WAIT}
OF_ONE_KIND: Mapping[str, Mapping[str, Action[Step]]] = {
    Kind.GENERICS: {"read": READ},
    Kind.FILTER: {"score": SCORE},
}

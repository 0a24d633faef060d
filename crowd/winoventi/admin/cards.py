"""The cards of the pipeline: each step's numbers, in its own words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.urls import reverse

from crowd.releases.admin.links import release_links, release_stage
from crowd.winoventi import domain
from crowd.winoventi.admin.counted import ProjectCounts, RunProgress, list_url, list_url_of_judgements
from crowd.winoventi.admin.step_actions import SWITCHES
from crowd.winoventi.domain.people_apart import tasks_apart
from crowd.winoventi.models import Alternative, Generic, Premise, Project, Step
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.reason_words import FAULTS, reason_in_words
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import TAKE
from hits.core.domain.counted_nouns import plural
from hits.studies.models import Batch

Kind = Step.Kind
Purpose = ModelRun.Purpose


def _generics(counted: ProjectCounts, step: Step) -> Card:
    state = Generic.State
    project, nouns, read = counted.project, counted.of("noun"), counted.of("read")
    waiting = counted.tallies["waiting"][Kind.EXCEPTIONS]
    unranked = counted.of("generic", state.FOUND) - waiting
    found = counted.of("generic")
    running = [
        *counted.running(
            Purpose.READING, project.generics_model_id, "Nouns that the model has read", done=read, of=nouns
        ),
        *counted.running(
            Purpose.RANKING,
            project.perplexity_model_id,
            "Statements that have a perplexity",
            done=found - unranked,
            of=found,
        ),
    ]
    ways = [
        CardLink(name="Nouns…", url=_address(project, "nouns")),
        CardLink(name="Perplexity and cut…", url=_address(project, "cut")),
    ]
    return _card(
        counted,
        step,
        about="The model completes “The noun is …” and “The noun is not …”. What fits both is a generic.",
        came_in=[
            Metric(name="Nouns", count=nouns, url=_address(project, "nouns")),
            Metric(name="Nouns that the model has read", count=read, of=nouns),
        ],
        went_out=[
            counted.row("Generics found", "generic"),
            Metric(name="Generics that go on", count=waiting + counted.of("generic", *Generic.POSTED_ONES)),
        ],
        stayed=[
            counted.row("On the stop list", "generic", state.STOPPED),
            counted.row("Cut by perplexity", "generic", state.CUT),
        ],
        waiting=(nouns - read) or unranked,
        running=running,
        todo=_next_of_generics(counted, unranked=unranked, is_asked=any(one.is_open for one in running)),
        ways=ways,
    )


def _next_of_generics(counted: ProjectCounts, *, unranked: int, is_asked: bool) -> str:
    nouns, read, ranker = counted.of("noun"), counted.of("read"), counted.project.perplexity_model_id
    if not nouns and not counted.of("generic"):
        return "Add nouns."
    if counted.project.generics_model_id is None:
        return "" if counted.of("generic") else "Choose the model of step 1, in the settings."
    if read < nouns and not is_asked:
        return f"Have the model read the nouns that it has not read: {nouns - read}."
    if unranked and not is_asked:
        how = "Read the associations again" if ranker else "Cut"
        return f"{how}: this many generics have no place in the order yet: {unranked}."
    return ""


def _exceptions(counted: ProjectCounts, step: Step) -> Card:
    state, given = Generic.State, Alternative.State
    return _asked_card(
        counted,
        step,
        about="One worker for each pair: does the statement make sense? If it does not hold, what does?",
        came_in=[
            counted.row("Pairs posted", "generic", *Generic.POSTED_ONES),
            counted.row("Answered", "generic", state.ANSWERED, state.NONSENSE),
        ],
        went_out=[counted.row("Exceptions", "alternative", *Alternative.STANDING)],
        stayed=[
            counted.row("Statements that make no sense", "generic", state.NONSENSE),
            counted.row("Given before for the same words", "alternative", given.REPEATED),
            counted.row("Of answers that do not count", "alternative", given.WITHDRAWN),
        ],
    )


def _filter(counted: ProjectCounts, step: Step) -> Card:
    state = Alternative.State
    project = counted.project
    standing, given = counted.of("alternative", *Alternative.STANDING), counted.of("alternative", state.GIVEN)
    running = counted.running(
        Purpose.FILTER,
        project.filter_model_id,
        "Exceptions that the model has scored",
        done=standing - given,
        of=standing,
    )
    todo = ""
    if given and not any(one.is_open for one in running):
        todo = f"Have the model score the exceptions that have no score: {given}."
        if project.filter_model_id is None:
            todo = "Choose the model of step 3, in the settings."
    return _card(
        counted,
        step,
        about="An exception passes where the model finds the generic strictly likelier.",
        came_in=[Metric(name="Exceptions", count=standing)],
        went_out=[counted.row("Passed", "alternative", state.PASSED)],
        stayed=[
            counted.row("The model does not favor the generic", "alternative", state.FILTERED),
            counted.row("Not scored yet", "alternative", state.GIVEN),
        ],
        waiting=given,
        running=running,
        todo=todo,
    )


def _premises(counted: ProjectCounts, step: Step) -> Card:
    state = Premise.State
    return _asked_card(
        counted,
        step,
        about="One worker for each triplet writes a sentence in which one word decides which outcome holds.",
        came_in=[counted.row("Exceptions that passed", "alternative", Alternative.State.PASSED)],
        went_out=[counted.row("Well-formed premises", "premise", *Premise.WELL_FORMED)],
        stayed=[
            counted.row("Cannot be used", "premise", state.MALFORMED),
            *_reasons(counted, lambda reason: reason in FAULTS),
            counted.row("Withdrawn", "premise", state.WITHDRAWN),
        ],
    )


def _validations(counted: ProjectCounts, step: Step) -> Card:
    state, judged = Premise.State, counted.of("judgement")
    judged_url = list_url_of_judgements(counted.project) if judged else ""
    return _asked_card(
        counted,
        step,
        about="Several workers judge each pair by four questions. Yes is bad on all of them.",
        came_in=[
            Metric(name="Well-formed premises", count=counted.of("premise", *Premise.WELL_FORMED)),
            Metric(name="Judgements", count=judged, url=judged_url),
        ],
        went_out=[counted.row("Valid pairs", "premise", state.VALID)],
        stayed=[
            counted.row("Failed", "premise", state.FAILED),
            *_reasons(counted, lambda reason: reason not in FAULTS),
            counted.row("Not decided yet", "premise", state.WAITING),
        ],
    )


def _choices(counted: ProjectCounts, step: Step) -> Card:
    chosen, right = counted.tallies["chosen"], counted.tallies["right"]
    return _asked_card(
        counted,
        step,
        about="People who have not worked on a pair complete its two prompts with one of the two outcomes.",
        came_in=[counted.row("Valid pairs", "premise", Premise.State.VALID)],
        went_out=[
            Metric(name="Right about the generic", count=right[domain.GENERIC], of=chosen[domain.GENERIC]),
            Metric(
                name="Right about the exception", count=right[domain.EXCEPTION], of=chosen[domain.EXCEPTION]
            ),
        ],
    )


def results_card(project: Project) -> Card:
    return Card(
        key="results",
        title="Results",
        about="How people and models do on the valid pairs, and the pairs as files.",
        is_data=True,
        stage=release_stage(project.study, family="winoventi"),
        links=[
            CardLink(name="Statistics and models", url=_address(project, "statistics")),
            CardLink(name="Errors of models", url=_address(project, "errors")),
            CardLink(name="Take the challenge set out…", url=_address(project, "data"), permission=TAKE),
            *release_links(project.study, family="winoventi"),
        ],
    )


def _asked_card(
    counted: ProjectCounts,
    step: Step,
    *,
    about: str,
    came_in: Sequence[Metric],
    went_out: Sequence[Metric],
    stayed: Sequence[Metric] = (),
) -> Card:
    """The card of a step that workers answer."""
    waiting, asked = counted.tallies["waiting"][step.kind], counted.tallies["asked"][step.task]
    todo, note = "", f"Waiting for this step: {waiting}."
    if waiting and not step.by_itself:
        todo = f"Advance {waiting}."
    elif asked and not _is_asking(counted, step):
        todo = f"Launch a batch: {plural(asked, 'item')} wait{'s' if asked == 1 else ''} for workers."
    if step.most_per_worker:
        note = f"{note} One worker gives at most {step.most_per_worker} answers."
    kept = _kept_away(step, rule=counted.project.people)
    note = f"{note} {f'Not for who took part in {kept}' if kept else 'Also for people of other steps'}."
    return _card(
        counted,
        step,
        about=about,
        came_in=came_in,
        went_out=went_out,
        stayed=stayed,
        waiting=waiting,
        todo=todo,
        note=note,
    )


def _card(
    counted: ProjectCounts,
    step: Step,
    *,
    about: str,
    came_in: Sequence[Metric],
    went_out: Sequence[Metric],
    stayed: Sequence[Metric],
    waiting: int,
    todo: str,
    running: Sequence[RunProgress] = (),
    note: str = "",
    ways: Sequence[CardLink] = (),
) -> Card:
    """The card of any step; while nothing waits, it offers only the switches."""
    groups = {"Came in": came_in, "Went out": went_out, "Stayed behind, and why": stayed}
    halted = [f"The batch did not grow: {step.problem}"] if step.problem else []
    return Card(
        key=step.kind,
        title=step.get_kind_display(),
        about=about,
        groups={heading: figures for heading, figures in groups.items() if figures},
        progress=[one.as_progress() for one in running],
        problems=[*(one.problem for one in running if one.problem), *halted],
        note=f"{note} {'Goes on by itself.' if step.by_itself else 'Waits for a click.'}".strip(),
        offered=[
            replace(one, is_first=one.is_first and bool(todo) and not step.by_itself)
            for one in counted.buttons(step)
            if waiting or one.key in SWITCHES
        ],
        links=ways,
        next=todo,
        tasks=[step.task] if step.task else (),
        stage=went_out[-1] if step.kind == Kind.CHOICES else went_out[0],
    )


def _kept_away(step: Step, *, rule: str) -> str:
    """The names of the steps whose people do not enter this one."""
    apart = tasks_apart(step.task, rule=rule)
    names = [Kind(kind).label for kind, task in Step.TASKS.items() if task in apart]
    return " or ".join(f"“{name}”" for name in names)


def _is_asking(counted: ProjectCounts, step: Step) -> bool:
    """Whether workers are asked, by whatever batch.

    The step's own one grows again when it is complete, where the step goes on by itself.
    """
    own = step.batch
    grows = step.by_itself and own is not None and own.status == Batch.Status.COMPLETE
    return grows or bool(counted.of("asking", step.task))


def _reasons(counted: ProjectCounts, belongs: Callable[[str], bool]) -> Iterator[Metric]:
    """Metrics of why premises went no further, the most frequent reason first."""
    found: Iterable[tuple[str, int]] = counted.tallies["reason"].items()
    for reason, count in sorted(found, key=lambda row: (-row[1], row[0])):
        if belongs(reason):
            url = list_url(counted.project, "premise", reason=reason)
            yield Metric(name=f"… {reason_in_words(reason) or 'no reason'}", count=count, url=url)


CARDS: Mapping[str, Callable[[ProjectCounts, Step], Card]] = {
    Kind.GENERICS: _generics,
    Kind.EXCEPTIONS: _exceptions,
    Kind.FILTER: _filter,
    Kind.PREMISES: _premises,
    Kind.VALIDATIONS: _validations,
    Kind.CHOICES: _choices,
}


def _address(project: Project, name: str) -> str:
    return reverse(f"admin:winoventi_{name}", args=[project.pk])

"""Step 3: how likely a model finds the generic and the exception. A strictly less likely exception goes on.

Scores are facts; `ruling.pass_alternatives` reads those of the project's own model, and those of others are
recorded beside them.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet

from crowd.winoventi.domain.evaluation import is_right
from crowd.winoventi.domain.prompts import prompt
from crowd.winoventi.models import Alternative, FilterScore, PieceScoring, Project, Step
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.services.model_runs import note_standing, open_model_run, open_model_runs, put_off
from hits.core.errors import RuleBroken
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services import asking_models
from scoring.services.consulting import Answered, Standing, ask_failed_anew, consult
from scoring.services.pending_work import questions_waiting

Purpose = ModelRun.Purpose
State = Alternative.State


def start_filter(*, project: Project, now: datetime, rival: RegisteredRival | None = None) -> ModelRun:
    """Ask the project's own model, which decides, or another one, whose probabilities are only recorded."""
    scorer = rival or project.filter_model
    if scorer is None:
        raise RuleBroken("no_model", "Choose the model of step 3 first, under the project's settings.")
    if scorer.kind != RegisteredRival.Kind.MASKED:
        raise RuleBroken("wrong_kind", f"{scorer} fills no gaps; choose a masked language model.")
    return open_model_run(project=project, rival=scorer, purpose=Purpose.FILTER, now=now)


def score_anew(*, project: Project, now: datetime) -> ModelRun:
    """Start the filter on a researcher's click, and ask again at once what the model could not answer."""
    model_run = start_filter(project=project, now=now)
    rows = _unscored(project, model_run.rival)
    ask_failed_anew(rows, ask=partial(_asked_of, project), rival=model_run.rival, now=now)
    return model_run


def next_look(*, now: datetime) -> datetime | None:
    """When the next closed model run looks again whether its unanswered exceptions have an answer."""
    step = _steps_with_given().filter(project=OuterRef("project"), project__filter_model=OuterRef("rival"))
    closed = ModelRun.objects.filter(Exists(step), purpose=Purpose.FILTER, is_open=False)
    first: datetime | None = closed.aggregate(first=Min("look_at"))["first"]
    return first


def filter_alternatives(*, now: datetime) -> None:
    """The sweep of step 3."""
    _start_by_itself(now=now)
    for model_run in open_model_runs(Purpose.FILTER):
        _filter(model_run, now=now)


def question_of(
    *, noun: str, generic: str, exception: str, way: str, premise_prompt: str = ""
) -> asking_models.NewQuestion:
    """One question for both words, scored side by side; without a premise, as the filter asks."""
    return asking_models.probabilities(
        premise_prompt or prompt(noun), [generic, exception], as_one_token=way == PieceScoring.ONE_TOKEN
    )


def _start_by_itself(*, now: datetime) -> None:
    """Start the filter for exceptions without a score, unless the model has said all that it will say."""
    for step in _steps_with_given().select_related("project__filter_model").order_by("pk"):
        if not _is_known(step.project, now=now):
            start_filter(project=step.project, now=now)


def _steps_with_given() -> QuerySet[Step]:
    given = Alternative.objects.filter(project=OuterRef("project"), state=State.GIVEN)
    return Step.objects.filter(
        Exists(given), kind=Step.Kind.FILTER, by_itself=True, project__filter_model__isnull=False
    )


def _is_known(project: Project, *, now: datetime) -> bool:
    """Whether opening the model run would change nothing: it is open, or would be closed again as it was.

    Where exceptions have no answer, this is checked ever more rarely, unless a glance shows something new.
    """
    model_run = ModelRun.objects.filter(
        project=project, rival=project.filter_model, purpose=Purpose.FILTER
    ).first()
    if model_run is None or model_run.is_open:
        return model_run is not None
    is_due = model_run.look_at is None or model_run.look_at <= now
    if not is_due and not _has_news(model_run):
        return True
    standing = _consult(project, model_run.rival, now=now)
    if any(getattr(model_run, name) != value for name, value in standing.noted.items()):
        return False
    if is_due and model_run.failed:
        put_off(model_run, now=now)
    return True


def _has_news(model_run: ModelRun) -> bool:
    """Whether the number of exceptions without a score has changed, or a question has been asked again."""
    asked = questions_waiting().filter(rival=model_run.rival, kind=ModelQuestion.Kind.PROBABILITIES)
    return _unscored(model_run.project, model_run.rival).count() != model_run.failed or asked.exists()


def _filter(model_run: ModelRun, *, now: datetime) -> None:
    standing = _consult(model_run.project, model_run.rival, now=now)
    note_standing(model_run, standing, now=now)


def _consult(project: Project, rival: RegisteredRival, *, now: datetime) -> Standing:
    return consult(
        _unscored(project, rival),
        ask=partial(_asked_of, project),
        take=lambda answered: _take_scores(answered, rival=rival, way=project.way, now=now),
        rival=rival,
        now=now,
    )


def _asked_of(project: Project, one: Alternative) -> list[asking_models.NewQuestion]:
    return [question_of(noun=one.noun, generic=one.generic.word, exception=one.word, way=project.way)]


def _unscored(project: Project, rival: RegisteredRival) -> QuerySet[Alternative]:
    scored = FilterScore.objects.filter(alternative=OuterRef("pk"), rival=rival, way=project.way)
    standing = project.alternatives.filter(state__in=Alternative.STANDING)
    return standing.filter(~Exists(scored)).select_related("generic__noun")


@transaction.atomic
def _take_scores(
    answered: Sequence[Answered[Alternative]], *, rival: RegisteredRival, way: str, now: datetime
) -> None:
    rows = [_score(one, answer, rival=rival, way=way, now=now) for one, (answer,) in answered]
    FilterScore.objects.bulk_create(rows, ignore_conflicts=True)


def _score(
    alternative: Alternative, answer: ModelQuestion, *, rival: RegisteredRival, way: str, now: datetime
) -> FilterScore:
    generic, exception = answer.output
    return FilterScore(
        alternative=alternative,
        rival=rival,
        way=way,
        p_generic=generic["p"],
        p_exception=exception["p"],
        pieces_generic=generic["pieces"],
        pieces_exception=exception["pieces"],
        passes=is_right(target=generic["p"], incorrect=exception["p"]),
        # How each word was really scored: as a single token, by its pieces, or as an unknown word.
        provenance={
            **answer.provenance,
            "way_generic": generic["way"],
            "way_exception": exception["way"],
        },
        scored_at=now,
    )

"""Models on the challenge set: registered ones are asked, others come as a file of their answers."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from crowd.winoventi.domain import GENERIC, KINDS
from crowd.winoventi.domain.evaluation import ALONE, ASKED, is_right
from crowd.winoventi.domain.prompts import MASK
from crowd.winoventi.filter.services.adversarial_filter import question_of
from crowd.winoventi.models import Evaluation, ModelAnswer, PieceScoring, Premise, Project, valid_pairs
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services import asking_models
from scoring.services.consulting import Answered, Standing, consult


def start_evaluation(
    *,
    project: Project,
    rival: RegisteredRival,
    by: User | None,
    now: datetime,
    way: str = PieceScoring.PROPERLY,
) -> Evaluation:
    """Open the model's evaluation, again for pairs valid since. Raises RuleBroken if it is not masked."""
    if rival.kind != RegisteredRival.Kind.MASKED:
        raise RuleBroken("wrong_kind", f"{rival} fills no gaps; choose a masked language model.")
    evaluation, _ = Evaluation.objects.get_or_create(
        project=project,
        name=rival.name,
        way=way,
        defaults={"rival": rival, "added_at": now, "added_by": by},
    )
    Evaluation.objects.filter(pk=evaluation.pk).update(is_open=True, problem="")
    evaluation.refresh_from_db()
    return evaluation


def evaluate_models(*, now: datetime) -> None:
    """The sweep that takes models' answers to the challenge set."""
    rows = Evaluation.objects.filter(is_open=True, rival__isnull=False).order_by("pk")
    for evaluation in rows.select_related("project", "rival"):
        if evaluation.rival is not None:
            _evaluate(evaluation, evaluation.rival, now=now)


def _evaluate(evaluation: Evaluation, rival: RegisteredRival, *, now: datetime) -> None:
    answered = ModelAnswer.objects.filter(evaluation=evaluation, premise=OuterRef("pk"), kind=ALONE)
    standing = consult(
        valid_pairs(evaluation.project).filter(~Exists(answered)),
        ask=lambda premise: [_question(premise, kind, way=evaluation.way) for kind in ASKED],
        take=lambda rows: _take(rows, evaluation),
        rival=rival,
        now=now,
    )
    _note(evaluation, standing)


def _question(premise: Premise, kind: str, *, way: str) -> asking_models.NewQuestion:
    return question_of(
        noun=premise.noun,
        generic=premise.generic,
        exception=premise.exception,
        way=way,
        premise_prompt=premise.prompt(kind, mask=MASK) if kind in KINDS else "",
    )


@transaction.atomic
def _take(rows: Sequence[Answered[Premise]], evaluation: Evaluation) -> None:
    if not rows:
        return
    ModelAnswer.objects.bulk_create(
        [
            _model_answer(evaluation, premise, kind, answer)
            for premise, answers in rows
            for kind, answer in zip(ASKED, answers, strict=True)
        ],
        ignore_conflicts=True,
    )
    Evaluation.objects.filter(pk=evaluation.pk).update(provenance=rows[-1][1][0].provenance)


def _model_answer(evaluation: Evaluation, premise: Premise, kind: str, answer: ModelQuestion) -> ModelAnswer:
    generic, exception = (one["p"] for one in answer.output)
    target, incorrect = (generic, exception) if kind in (GENERIC, ALONE) else (exception, generic)
    return ModelAnswer(
        evaluation=evaluation,
        premise=premise,
        kind=kind,
        p_target=target,
        p_incorrect=incorrect,
        is_right=is_right(target=target, incorrect=incorrect),
    )


def _note(evaluation: Evaluation, standing: Standing) -> None:
    """Write how far the evaluation is, unless that is known already."""
    noted = {"is_open": bool(standing.waiting), **standing.noted}
    Evaluation.objects.filter(pk=evaluation.pk).exclude(**noted).update(**noted)

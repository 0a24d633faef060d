"""Recording of scores. Rows are the queue: whatever is submitted and not judged is judged."""

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction

import structlog
from django.db import transaction

from hits import families
from hits.models import Assignment, Item
from hits.services.reviewing import mark_judged
from hits.services.working import items_of
from scoring import domain
from scoring.models import Score

log = structlog.get_logger()


def judge_submitted(*, now: datetime) -> int:
    """Work whose answer was lost is left for a person."""
    waiting = Assignment.objects.filter(
        status=Assignment.Status.SUBMITTED, judged_at=None, answer__isnull=False
    ).select_related("hit__batch")
    return sum(judge_assignment(assignment=assignment, now=now) for assignment in waiting.order_by("pk"))


def judge_assignment(*, assignment: Assignment, now: datetime) -> bool:
    """True if this call recorded the scores."""
    family = families.get(assignment.hit.batch.task)
    scores = family.judge(answer=assignment.answer or {}, items=items_of(assignment))
    with transaction.atomic():
        if not mark_judged(assignment=assignment, now=now):
            return False
        Score.objects.bulk_create(
            Score(
                assignment=assignment,
                item=score.item,
                measure=score.measure,
                numerator=score.value.numerator,
                denominator=score.value.denominator,
                scored_at=now,
            )
            for score in scores
        )
    log.info("assignment.judged", assignment=str(assignment.public_id), scores=len(scores))
    return True


def means_of(assignment: Assignment) -> dict[str, Fraction]:
    """The mean over an assignment's items, by measure."""
    return _means((score.measure, score.value) for score in assignment.scores.order_by("pk"))


def scores_of(item: Item, *, measure: str) -> list[Fraction]:
    return [score.value for score in item.scores.filter(measure=measure).order_by("pk")]


def _means(scores: Iterable[tuple[str, Fraction]]) -> dict[str, Fraction]:
    by_measure: dict[str, list[Fraction]] = {}
    for measure, value in scores:
        by_measure.setdefault(measure, []).append(value)
    return {measure: domain.mean(values) for measure, values in by_measure.items()}

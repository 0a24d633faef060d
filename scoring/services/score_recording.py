"""Recording of scores. Rows are the queue: everything submitted and not judged yet is judged."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

import structlog
from django.db import transaction
from django.db.models import QuerySet

from hits import families
from hits.common.sweep_parts import in_parts
from hits.review.services.reviewing import mark_judged
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_judged
from scoring.models import Score
from scoring.queries import vote_tallies

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class NewScore:
    assignment_id: int
    item_id: int
    measure: str
    value: Fraction


def judge_submitted(*, now: datetime) -> int:
    """Judge submitted work, also work approved before; work whose answer was lost is left for a person."""
    waiting = work_to_judge().select_related("hit__batch")
    return in_parts(waiting.order_by("pk"), lambda work: judge_assignment(assignment=work, now=now))


def work_to_judge() -> QuerySet[Assignment]:
    """Return submitted work that is judged as soon as anybody looks."""
    waiting = Assignment.objects.filter(
        status__in=(Assignment.Status.SUBMITTED, Assignment.Status.APPROVED),
        judged_at=None,
        answer__isnull=False,
        kept_out=False,
    )
    return waiting.exclude(hit__batch__task__in=families.judged_later())


def judge_assignment(*, assignment: Assignment, now: datetime) -> bool:
    """Judge one assignment; True if this call recorded the scores."""
    family = families.get(assignment.hit.batch.task)
    scores = family.judge(answer=assignment.answer or {}, items=items_judged(assignment))
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


def record_scores(scores: Iterable[NewScore], *, now: datetime) -> None:
    """Record scores of work that is judged piece by piece. New results replace earlier ones."""
    Score.objects.bulk_create(
        (
            Score(
                assignment_id=new.assignment_id,
                item_id=new.item_id,
                measure=new.measure,
                numerator=new.value.numerator,
                denominator=new.value.denominator,
                scored_at=now,
            )
            for new in scores
        ),
        update_conflicts=True,
        unique_fields=["assignment", "item", "measure"],
        update_fields=["numerator", "denominator", "scored_at"],
    )


def scores_of(item: Item, *, measure: str) -> list[Fraction]:
    """Scores of an item that count, in the order in which they were recorded."""
    return [score.value for score in counting_scores(items=[item.pk], measure=measure).order_by("pk")]


def counting_scores(*, items: Iterable[int], measure: str) -> QuerySet[Score]:
    return vote_tallies.counting_scores(list(items)).filter(measure=measure)

"""Scores of tests, and of work that floors check: only those that count."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, QuerySet

from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from scoring.models import Score

ScoresByMeasure = dict[str, list[Fraction]]


def counting() -> QuerySet[Score]:
    """Scores of work that is neither kept out nor rejected, and whose lease was not released."""
    given_away = Lease.objects.filter(
        item=OuterRef("item"), assignment=OuterRef("assignment"), status=Lease.Status.RELEASED
    )
    counted = Score.objects.filter(~Exists(given_away), assignment__kept_out=False)
    return counted.exclude(assignment__status=Assignment.Status.REJECTED)


def scores_of_tests(assignments: Collection[int]) -> dict[int, ScoresByMeasure]:
    """Exact scores by assignment and measure, in one query."""
    found: dict[int, ScoresByMeasure] = defaultdict(lambda: defaultdict(list))
    for score in counting().filter(assignment__in=assignments).order_by("pk"):
        found[score.assignment_id][score.measure].append(score.value)
    return found


def count_scored(assignments: Iterable[int]) -> dict[int, int]:
    """How many items of each assignment have a score."""
    rows = Score.objects.filter(assignment__in=list(assignments)).order_by().values("assignment")
    return {row["assignment"]: row["count"] for row in rows.annotate(count=Count("item", distinct=True))}

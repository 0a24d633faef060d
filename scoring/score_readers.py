"""Scores for the room below: a worker's means, and the scores that bonus tables read."""

from collections.abc import Collection
from fractions import Fraction

from django.db.models import Avg, Count, F, FloatField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast

from hits.people.queries.worker_record import Mean
from hits.work.models.assignments import Assignment
from scoring.models import Score

SHARE = Cast("numerator", FloatField()) / F("denominator")


def mean_of_scores() -> Subquery:
    """The mean of an assignment's scores, for a query of assignments."""
    of_assignment = Score.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    return Subquery(of_assignment.annotate(mean=Avg(SHARE)).values("mean"), output_field=FloatField())


def read_means(assignments: QuerySet[Assignment]) -> list[Mean]:
    """Means by measure, over everything that was judged, kept in the data or not."""
    rows = Score.objects.filter(assignment__in=assignments.order_by().values("pk")).order_by()
    found = rows.values("measure").annotate(mean=Avg(SHARE), count=Count("pk")).order_by("measure")
    return [Mean(measure=row["measure"], value=row["mean"], count=row["count"]) for row in found]


def read_scores(assignments: Collection[int]) -> dict[int, list[dict[str, Fraction]]]:
    """Scores by assignment, item by item in the order in which they were judged."""
    found: dict[int, dict[int, dict[str, Fraction]]] = {}
    for score in Score.objects.filter(assignment__in=assignments).order_by("pk"):
        items = found.setdefault(score.assignment_id, {})
        items.setdefault(score.item_id, {})[score.measure] = score.value
    return {key: list(items.values()) for key, items in found.items()}

"""The HITs that a worker may accept, and the choice of the one that an accept takes."""

from datetime import datetime
from random import SystemRandom
from typing import Literal, TypeVar

from django.db import connections
from django.db.models import BooleanField, Exists, F, Func, OuterRef, QuerySet, Subquery, Value

from crowd.marketplace.models import HAS_PLACES, HIT, Assignment, HITType
from crowd.marketplace.models.parties import Worker

MOST = 2**63 - 1
_chance = SystemRandom()
Row = TypeVar("Row")


def open_hits(*, worker: Worker, now: datetime) -> QuerySet[HIT]:
    """HITs with a place left that this worker neither holds nor has done."""
    held = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker, status__in=Assignment.HOLDING)
    return with_places(now=now).filter(~Exists(held)).order_by("pk")


def with_places(*, now: datetime) -> QuerySet[HIT]:
    """Open HITs with a free place, in the terms of the partial index `hit_open`, so that it is used."""
    return HIT.objects.filter(HAS_PLACES, closed_at=None, expires_at__gt=now)


def next_hit_id(*, group: HITType, worker: Worker, now: datetime) -> int | None:
    """A HIT next to a random place: workers neither queue for one row nor step over their old work."""
    placed = _between(with_places(now=now), group, 0, MOST).values("pk")
    ends = HITType.objects.filter(pk=group.pk).values_list(
        Subquery(placed[:1]), Subquery(placed.reverse()[:1])
    )
    first, last = ends[0]
    if first is None:
        return None
    wanted = open_hits(worker=worker, now=now).values_list("pk", flat=True)
    start = _chance.randint(first, max(first, last))
    upper = _between(wanted, group, start, last).first()
    return upper or _between(wanted, group, first, start - 1).last()


def _between(hits: QuerySet[HIT, Row], group: HITType, low: int, high: int) -> QuerySet[HIT, Row]:
    """Filter by the index of (hit type, id).

    Given the type as an equality, PostgreSQL may walk the primary key over all other types' HITs instead;
    both columns compared as one value leave it no choice. SQLite chooses well by itself.
    """
    if connections[hits.db].vendor == "sqlite":
        return hits.filter(hit_type=group, pk__range=(low, high))
    bounds = (_compare(">=", group.pk, low), _compare("<=", group.pk, high))
    return hits.filter(*bounds).order_by("hit_type_id", "pk")


def _compare(comparison: Literal["<=", ">="], type_id: int, pk: int) -> Func:
    rows = (
        Func(*parts, template="(%(expressions)s)", output_field=BooleanField())
        for parts in ((F("hit_type_id"), F("pk")), (Value(type_id), Value(pk)))
    )
    return Func(*rows, template="%(expressions)s", arg_joiner=f" {comparison} ", output_field=BooleanField())

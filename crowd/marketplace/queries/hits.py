"""The HITs that a worker may accept, and the choice of the one that an accept takes."""

from datetime import datetime
from random import SystemRandom
from typing import Literal

from django.db import connections
from django.db.models import BooleanField, Exists, F, Func, OuterRef, QuerySet, Subquery

from crowd.marketplace.models import HAS_PLACES, HIT, Assignment, HITType
from crowd.marketplace.models.parties import Worker
from hits.common.kept_queries import NOW, Given, KeptQuery, given_id

MOST = 2**63 - 1
_chance = SystemRandom()


def open_hits(*, worker: Worker | Given, now: datetime | Given) -> QuerySet[HIT]:
    """HITs with a place left that this worker neither holds nor has done."""
    held = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker, status__in=Assignment.HOLDING)
    return with_places(now=now).filter(~Exists(held)).order_by("pk")


def with_places(*, now: datetime | Given) -> QuerySet[HIT]:
    """Open HITs with a free place, in the terms of the partial index `hit_open`, so that it is used."""
    return HIT.objects.filter(HAS_PLACES, closed_at=None, expires_at__gt=now)


def next_hit_id(*, group: HITType, worker: Worker, now: datetime) -> int | None:
    """A HIT next to a random place: workers neither queue for one row nor step over their old work."""
    first, last = ENDS.rows(group=group.pk, low=0, high=MOST, now=now)[0]
    if first is None:
        return None
    start = _chance.randint(first, max(first, last))
    wanted = {"worker": worker.pk, "now": now, "group": group.pk}
    upper = UPWARDS.first(**wanted, low=start, high=last)
    return upper or DOWNWARDS.first(**wanted, low=first, high=start - 1)


def _ends() -> QuerySet[HITType, tuple[int | None, int]]:
    """The first and the last HIT of a group with a free place."""
    placed = _between(with_places(now=NOW)).values("pk")
    ends = (Subquery(placed[:1]), Subquery(placed.reverse()[:1]))
    return HITType.objects.filter(pk=given_id("group")).values_list(*ends)


def _open() -> QuerySet[HIT, int]:
    return _between(open_hits(worker=given_id("worker"), now=NOW)).values_list("pk", flat=True)


def _between(hits: QuerySet[HIT]) -> QuerySet[HIT]:
    """Filter by the index of (hit type, id) the HITs of a group with ids from low to high.

    Given the type as an equality, PostgreSQL may walk the primary key over all other types' HITs instead;
    both columns compared as one value leave it no choice. SQLite chooses well by itself.
    """
    if connections[hits.db].vendor == "sqlite":
        return hits.filter(
            hit_type=given_id("group"), pk__range=(given_id("low"), given_id("high"))
        ).order_by("pk")
    hits = hits.filter(_compare(">=", given_id("low")), _compare("<=", given_id("high")))
    return hits.order_by("hit_type_id", "pk")


def _compare(comparison: Literal["<=", ">="], bound: Given) -> Func:
    rows = (
        Func(*parts, template="(%(expressions)s)", output_field=BooleanField())
        for parts in ((F("hit_type_id"), F("pk")), (given_id("group"), bound))
    )
    return Func(*rows, template="%(expressions)s", arg_joiner=f" {comparison} ", output_field=BooleanField())


ENDS = KeptQuery(_ends)
UPWARDS = KeptQuery(lambda: _open()[:1])
DOWNWARDS = KeptQuery(lambda: _open().reverse()[:1])

"""The list of open work. Only HIT types that are listed are looked at, never all HITs."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from django.db.models import OuterRef, QuerySet

from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.capped_counts import CappedCount
from crowd.marketplace.queries.hits import open_hits
from crowd.marketplace.queries.keysets import Keyset, Mark
from crowd.marketplace.queries.search_words import contains_all
from hits.common.kept_queries import NOW, Given, KeptQuery, given_id

COUNTED = 100  # further HITs of a group are "more"
LISTED = {
    "newest": Keyset(("-pk",)),
    "reward": Keyset(("-reward", "-pk")),
    "time": Keyset(("assignment_duration_s", "-pk")),
}
SEARCHED = ("title", "description", "keywords", "requester__name")


def read_groups(
    *,
    worker: Worker,
    words: Sequence[str],
    order: str,
    after: Mark | None,
    backwards: bool,
    most: int,
    now: datetime,
) -> list[HITType]:
    """Sorted groups, each with `hits_left`: those left for this worker, counted to one more than COUNTED."""
    if not words and after is None:
        return _first(order, most).rows(worker=worker.pk, now=now)
    groups = _groups(worker=worker, words=words, now=now)
    return list(LISTED[order].sort(groups, after=after, backwards=backwards)[:most])


@cache
def _first(order: str, most: int) -> KeptQuery[HITType]:
    """The groups with which the list begins where nothing is searched for, as nearly always."""
    return KeptQuery(lambda: LISTED[order].sort(_groups(worker=given_id("worker"), words=(), now=NOW))[:most])


def _groups(*, worker: Worker | Given, words: Sequence[str], now: datetime | Given) -> QuerySet[HITType]:
    """A limited look-up goes by the index: to answer an EXISTS, PostgreSQL would hash every open HIT."""
    left = open_hits(worker=worker, now=now).filter(hit_type=OuterRef("pk")).order_by().values("pk")
    return (
        HITType.objects.filter(contains_all(list(words), columns=SEARCHED), is_listed=True)
        .select_related("requester")
        .annotate(hits_left=CappedCount(left[: COUNTED + 1]))
    )

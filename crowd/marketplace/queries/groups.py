"""The list of open work. Only HIT types that are listed are looked at, never all HITs."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.capped_counts import CappedCount
from crowd.marketplace.queries.hits import open_hits
from crowd.marketplace.queries.keysets import Keyset, Mark
from crowd.marketplace.queries.search_words import contains_all

COUNTED = 100  # further HITs of a group are "more"
LISTED = {
    "newest": Keyset(("-pk",)),
    "reward": Keyset(("-reward", "-pk")),
    "time": Keyset(("assignment_duration_s", "-pk")),
}
SEARCHED = ("title", "description", "keywords", "requester__name")


def listed_groups(
    *,
    worker: Worker,
    words: Sequence[str],
    keyset: Keyset,
    after: Mark | None,
    backwards: bool,
    now: datetime,
) -> QuerySet[HITType]:
    """Sorted groups, each with `some_hit`: the id of a HIT that is left for this worker, or None.

    Not an EXISTS: to answer that PostgreSQL would hash every open HIT. A limited look-up goes by the index.
    """
    left = open_hits(worker=worker, now=now).filter(hit_type=OuterRef("pk")).order_by().values("pk")
    groups = (
        HITType.objects.filter(contains_all(list(words), columns=SEARCHED), is_listed=True)
        .select_related("requester")
        .annotate(some_hit=Subquery(left[:1]))
    )
    return keyset.sort(groups, after=after, backwards=backwards)


def count_hits(*, groups: Collection[int], worker: Worker, now: datetime) -> dict[int, int]:
    """HITs left for this worker by group, each counted to one more than COUNTED, in one query."""
    left = open_hits(worker=worker, now=now).filter(hit_type=OuterRef("pk")).order_by().values("pk")
    counted = HITType.objects.filter(pk__in=groups).order_by()
    return dict(counted.values_list("pk", CappedCount(left[: COUNTED + 1])))

"""Votes on items: how many answers count for an item, and how many of them say yes."""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from scoring.models import Score

# More would not fit into one query to SQLite; callers pass a query for more items.
MOST_NAMED = 30_000


@dataclass(frozen=True, kw_only=True)
class Tally:
    """The votes on one item in one measure, at least one: an item without answers has no tally."""

    yes: int
    answers: int

    @property
    def no(self) -> int:
        return self.answers - self.yes

    @property
    def share(self) -> Fraction:
        return Fraction(self.yes, self.answers)

    @property
    def is_majority(self) -> bool:
        """Whether more than half say yes; a tie is no majority."""
        return self.yes > self.no

    @property
    def is_unanimous(self) -> bool:
        return self.yes in (0, self.answers)


def tallies(
    items: QuerySet[Item] | Collection[int], *, measures: Collection[str] = ()
) -> dict[tuple[int, str], Tally]:
    """Tallies by item and measure, in one query.

    Votes are whole: scores that are other shares are left out.
    """
    votes = counting_scores(items).filter(denominator=1)
    if measures:
        votes = votes.filter(measure__in=measures)
    counted = votes.order_by().values_list("item", "measure").annotate(Sum("numerator"), Count("pk"))
    return {
        (item, measure): Tally(yes=yes, answers=answers) for item, measure, yes, answers in counted.iterator()
    }


def counting_scores(items: QuerySet[Item] | Collection[int]) -> QuerySet[Score]:
    """Scores of work neither kept out nor rejected, and whose lease was not released.

    Raises ValueError if more items are named than fit into one query; pass a query then.
    """
    if not isinstance(items, QuerySet) and len(items) > MOST_NAMED:
        raise ValueError("Ask about so many items with a query.")
    given_away = Lease.objects.filter(
        item=OuterRef("item"), assignment=OuterRef("assignment"), status=Lease.Status.RELEASED
    )
    counting = Score.objects.filter(~Exists(given_away), item__in=items, assignment__kept_out=False)
    return counting.exclude(assignment__status=Assignment.Status.REJECTED)

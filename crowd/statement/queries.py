"""One worker's work and money, and no other worker's. Sums are made in Python's Decimal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, DateTimeField, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce, TruncMonth

from crowd.statement.statement_links import proves_visits
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.review.models import Appeal
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision

Status = Assignment.Status
PAID = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Totals of the assignments shown. Rewards that wait for a decision are counted apart, not promised."""

    works: int
    rewards: Decimal
    waiting: Decimal
    bonuses_paid: Decimal
    bonuses_coming: Decimal

    @property
    def paid(self) -> Decimal:
        return self.rewards + self.bonuses_paid


def works_of(worker: Worker) -> QuerySet[Assignment]:
    """The worker's submitted work, newest first.

    Work that is only saved here is included where the visit has proven whose it is.
    """
    shown = Q(status__in=(Status.SUBMITTED, Status.APPROVED, Status.REJECTED))
    if proves_visits(worker.account):
        shown |= Q(status=Status.SAVED)
    handed_in_at = Coalesce("submitted_at", "saved_at", output_field=DateTimeField())
    works = Assignment.objects.filter(shown, worker=worker).annotate(handed_in_at=handed_in_at)
    return works.order_by("-pk")


def with_everything(works: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Add related rows in three more queries, however many there are. The answers are not read."""
    rejections = Decision.objects.filter(kind=Decision.Kind.REJECT, status=Decision.Status.DONE)
    return (
        works.select_related("hit__batch")
        .defer("answer")
        .prefetch_related(
            Prefetch("bonuses", Bonus.objects.order_by("pk")),
            Prefetch("appeals", Appeal.objects.order_by("pk")),
            Prefetch("decisions", rejections.order_by("pk"), to_attr="rejections"),
        )
    )


def months_of(works: QuerySet[Assignment], *, zone: ZoneInfo) -> list[datetime]:
    """First instants of the months with some of this work, newest first."""
    month = TruncMonth("handed_in_at", tzinfo=zone, output_field=DateTimeField())
    found = works.order_by().values_list(month, flat=True).distinct()
    return sorted((start for start in found if start), reverse=True)


def in_month(works: QuerySet[Any], start: datetime) -> QuerySet[Any]:
    """Work of one month; `start` is its first instant, in the zone that it is counted in."""
    year, month = (start.year + 1, 1) if start.month == 12 else (start.year, start.month + 1)
    end = datetime(year, month, 1, tzinfo=start.tzinfo)
    return works.filter(handed_in_at__gte=start, handed_in_at__lt=end)


def totals_of(works: QuerySet[Assignment]) -> Totals:
    """Totals of the works, in two queries."""
    rewards = _count_rewards(works)
    counted = (
        Bonus.objects.filter(assignment__in=works.order_by().values("pk"))
        # Its own HIT has paid it, and that HIT's reward is counted already.
        .exclude(status=Bonus.Status.CONFIRMED, compensation__isnull=False)
        .exclude(status=Bonus.Status.WAIVED)
        .values_list("status", "amount")
        .annotate(number=Count("pk"))
        .order_by()
    )
    bonuses = [(status in PAID, amount * number) for status, amount, number in counted]
    return Totals(
        works=sum(number for _, _, number in rewards),
        rewards=_sum([reward * number for status, reward, number in rewards if status == Status.APPROVED]),
        waiting=_sum(
            [
                reward * number
                for status, reward, number in rewards
                if status in (Status.SUBMITTED, Status.SAVED)
            ]
        ),
        bonuses_paid=_sum([amount for is_paid, amount in bonuses if is_paid]),
        bonuses_coming=_sum([amount for is_paid, amount in bonuses if not is_paid]),
    )


def _count_rewards(works: QuerySet[Assignment]) -> Sequence[tuple[str, Decimal, int]]:
    counted = works.order_by().values_list("status", "hit__batch__reward")
    return list(counted.annotate(number=Count("pk")))


def _sum(amounts: Sequence[Decimal]) -> Decimal:
    return sum(amounts, Decimal(0))

"""What workers have earned on each of the last days, and the HITs that were made: days are UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate

from crowd.marketplace.domain import round_half_up
from crowd.marketplace.models import HIT, LedgerEntry
from crowd.marketplace.models.parties import Worker

DAYS = 28
NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class DayEarnings:
    """What was credited on one day, and to how many workers."""

    day: date
    earned: Decimal = NOTHING
    workers: int = 0


def earned_by_day(*, now: datetime, worker: Worker | None = None) -> list[DayEarnings]:
    """Return each of the last days, of one worker or of all. Payouts take nothing away from a day."""
    days = last_days(now)
    credited = LedgerEntry.objects.filter(
        Q(worker=worker) if worker else Q(),
        ~Q(subject__startswith="payout "),  # a payout that was taken back is not earned again
        account=LedgerEntry.Account.WORKERS,
        amount__gt=0,
        created_at__gte=_start_of(days[0]),
        created_at__lte=now,
    )
    groups = (
        credited.order_by()
        .values(day=TruncDate("created_at", tzinfo=UTC))
        .annotate(sum=Sum("amount"), workers=Count("worker", distinct=True))
    )
    found = {
        group["day"]: DayEarnings(
            day=group["day"], earned=round_half_up(group["sum"]), workers=group["workers"]
        )
        for group in groups
    }
    return [found.get(day, DayEarnings(day=day)) for day in days]


def hits_by_day(*, now: datetime) -> Sequence[tuple[date, int]]:
    """Return the number of HITs that were made on each of the last days."""
    days = last_days(now)
    made = HIT.objects.filter(created_at__gte=_start_of(days[0]), created_at__lte=now)
    groups = made.order_by().values(day=TruncDate("created_at", tzinfo=UTC)).annotate(n=Count("pk"))
    counts = {group["day"]: group["n"] for group in groups}
    return [(day, counts.get(day, 0)) for day in days]


def last_days(now: datetime) -> list[date]:
    """Return the last days, oldest first."""
    today = now.astimezone(UTC).date()
    return [today - timedelta(days=ago) for ago in reversed(range(DAYS))]


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)

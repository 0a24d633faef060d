"""Counters of a batch, recounted whenever something of it has changed, so that lists count nothing."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from hits.batches.queries.hourly_pay import pay_of
from hits.batches.queries.tally import PAID, TAKEN, Tally, seconds_worked, tally_of
from hits.batches.services import budgets
from hits.core.domain.money import round_to_cents
from hits.core.domain.wages import hourly_wage, percentile_of_counts
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

# Large batches are counted less often, one second later for so many HITs: counting must not take most time.
HITS_A_SECOND = 1000
SLOW = 0.9  # the time that nine of ten stay under: who needs longer earns less than this wage
Status = Assignment.Status


def refresh_stale(*, now: datetime) -> int:
    """Recount the stale batches that are due. A kill in between changes nothing, and the mark stays."""
    stale = _stale().select_related("account", "study").order_by("pk")
    return sum(refresh(batch=batch, now=now) for batch in stale if _due_at(batch.figures, now=now) <= now)


def next_count(*, now: datetime) -> datetime | None:
    """Return when the next stale batch is due: a large one that was counted a moment ago has to wait."""
    stale = _stale().values_list("figures", flat=True)
    return min((_due_at(figures, now=now) for figures in stale), default=None)


def refresh(*, batch: Batch, now: datetime) -> bool:
    """Recount a batch. The mark is cleared only if nobody marked the batch again during the count."""
    last = budgets.last_entry(batch)
    tally = tally_of(batch)
    budgets.settle_counted(batch=batch, tally=tally, last=last, now=now)
    still_stale = Case(When(marks=batch.marks, then=Value(value=False)), default=Value(value=True))
    counted = _figures(batch, tally, now=now)
    return bool(Batch.objects.filter(pk=batch.pk).update(figures=counted, is_stale=still_stale))


def _stale() -> QuerySet[Batch]:
    return Batch.objects.filter(is_stale=True)


def _due_at(figures: Mapping[str, Any], *, now: datetime) -> datetime:
    counted, hits = figures.get("counted_at"), figures.get("hits", 0)
    pause = timedelta(seconds=hits // HITS_A_SECOND)
    return datetime.fromisoformat(counted) + pause if counted and pause else now


def _figures(batch: Batch, tally: Tally, *, now: datetime) -> dict[str, Any]:
    """Return the counters as JSON, with money as text: JSON has no decimals."""
    seconds = seconds_worked(batch)
    median, slow = percentile_of_counts(seconds, 0.5), percentile_of_counts(seconds, SLOW)
    pay = pay_of(batch)
    return {
        "hits": tally.count_hits(HIT.Status.INTENDED, HIT.Status.OPEN, HIT.Status.CLOSED),
        "hits_sent": tally.count_hits(HIT.Status.OPEN, HIT.Status.CLOSED),
        "hits_open": tally.count_hits(HIT.Status.OPEN),
        "hits_withdrawn": tally.count_hits(HIT.Status.WITHDRAWN),
        "places": tally.places,
        "in_progress": tally.count_work(Status.OPENED, Status.SAVED),
        "submitted": tally.count_work(*TAKEN),
        "waiting": tally.count_work(Status.SUBMITTED),
        "approved": tally.count_work(Status.APPROVED),
        "rejected": tally.count_work(Status.REJECTED),
        "kept_out": tally.kept_out,
        "gone": tally.count_work(Status.GONE),
        "bonuses_owed": _money(tally.bonus_sum()),
        "bonuses_paid": _money(tally.bonus_sum(*PAID)),
        "spent": _money(tally.spent(batch.prices)),
        "median_s": median,
        "median_hourly": _wage(batch, median),
        "p10_hourly": _wage(batch, slow),
        # Approved work with its bonuses, which is compared with the study's floor.
        "p10_paid": None if pay.tenth is None else str(pay.tenth),
        "below_floor": pay.below,
        "is_below_floor": pay.is_low,
        "counted_at": now.isoformat(),
    }


def _wage(batch: Batch, seconds: float | None) -> str | None:
    wage = None if seconds is None else hourly_wage(reward=batch.reward, seconds=seconds)
    return None if wage is None else str(wage)


def _money(amount: Decimal) -> str:
    return str(round_to_cents(amount))

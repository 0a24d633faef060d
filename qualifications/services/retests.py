"""Retests: once the delay is over, the test opens again, here and at the provider."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from qualifications.models import Attempt, Gate, Holding
from qualifications.services.gate_holdings import lock_holding, set_value

SLICE = 500
Status = Attempt.Status


def open_retests(*, now: datetime) -> int:
    """Open the test again to workers whose delay is over; return how many."""
    return sum(_open(days, now=now) for days in _delays())


def next_retest(*, now: datetime) -> datetime | None:
    """When the next delay is over."""
    return min((end for days in _delays() if (end := _first_end(days))), default=None)


def _gates() -> QuerySet[Gate]:
    """Gates whose delay is kept here; the provider keeps the delay of its own tests."""
    gates = Gate.objects.filter(is_active=True, retest_after_days__isnull=False)
    return gates.exclude(grading=Gate.Grading.PROVIDER)


def _delays() -> list[int]:
    """All different delays of gates, in days."""
    found = _gates().order_by("retest_after_days").values_list("retest_after_days", flat=True)
    return [days for days in found.distinct() if days is not None]


def _barred(days: int) -> QuerySet[Any]:
    """Holdings that wait for so many days, and since when: the grade, the loss, or the used-up test."""
    own = Attempt.objects.filter(gate=OuterRef("gate"), worker=OuterRef("worker"))
    live = own.filter(status__in=(Status.STARTED, Status.WAITING))
    failed = own.filter(status=Status.FAILED).order_by("-graded_at").values("graded_at")[:1]
    rows = Holding.objects.filter(
        ~Exists(live),
        gate__in=_gates().filter(retest_after_days=days),
        value=Holding.Value.TRIED,
        by=None,
    )
    return rows.annotate(since=Greatest("changed_at", Coalesce(Subquery(failed), "changed_at")))


def _first_end(days: int) -> datetime | None:
    since: datetime | None = _barred(days).aggregate(first=Min("since"))["first"]
    return since and since + timedelta(days=days)


def _open(days: int, *, now: datetime) -> int:
    """Open retests after a delay of so many days (a day has 24 hours); return how many."""
    due = _barred(days).filter(since__lte=now - timedelta(days=days))
    rows = due.select_related("gate", "worker__account").order_by("pk")[:SLICE]
    return sum(_clear(held, now=now) for held in rows)


def _clear(found: Holding, *, now: datetime) -> bool:
    gate = found.gate
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=found.worker, now=now)
        if (held.value, held.by_id, held.changed_at) != (Holding.Value.TRIED, None, found.changed_at):
            return False
        set_value(gate=gate, worker=found.worker, value=None, now=now)
    return True

"""A delay that is over opens the test again, here and at the provider."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from qualifications.models import Attempt, Gate, Holding
from qualifications.services.holding import lock_holding, set_value

SLICE = 500
Status = Attempt.Status


def open_retests(*, now: datetime) -> int:
    """The provider keeps the delay of its own tests."""
    gates = Gate.objects.filter(is_active=True, retest_after_days__isnull=False)
    return sum(_open(gate, now=now) for gate in gates.exclude(grading=Gate.Grading.PROVIDER).order_by("pk"))


def _open(gate: Gate, *, now: datetime) -> int:
    """A day has 24 hours. It counts from the grade, from the loss, or from the test that was used up."""
    until = now - timedelta(days=gate.retest_after_days or 0)
    own = Attempt.objects.filter(gate=gate, worker=OuterRef("worker"))
    live = own.filter(status__in=(Status.STARTED, Status.WAITING))
    due = Holding.objects.filter(
        ~Exists(live),
        ~Exists(own.filter(status=Status.FAILED, graded_at__gt=until)),
        gate=gate,
        value=Holding.Value.TRIED,
        by=None,
        changed_at__lte=until,
    )
    rows = due.select_related("worker__account").order_by("pk")[:SLICE]
    return sum(_clear(gate, held, now=now) for held in rows)


def _clear(gate: Gate, found: Holding, *, now: datetime) -> bool:
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=found.worker, now=now)
        if (held.value, held.by_id, held.changed_at) != (Holding.Value.TRIED, None, found.changed_at):
            return False
        set_value(gate=gate, worker=found.worker, value=None, now=now)
    return True

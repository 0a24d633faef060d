"""The marketplace's one clock. Tests and rehearsals may turn it where the control API is switched on."""

from datetime import datetime, timedelta
from functools import wraps
from typing import Protocol

from django.conf import settings
from django.utils import timezone

from crowd.marketplace.models import ClockShift


class NextDue(Protocol):
    """The instant when something becomes due by the clock alone; None if nothing waits."""

    def __call__(self, *, now: datetime) -> datetime | None: ...


def now() -> datetime:
    """The machine's time plus the time by which the clock was turned ahead.

    Only request signatures are judged by the machine's own time instead.
    """
    return timezone.now() + _turned()


def by_the_machine(next_due: NextDue) -> NextDue:
    """Convert `next_due` to machine time, in and out. An answer holds until the clock is turned again."""

    @wraps(next_due)
    def due(*, now: datetime) -> datetime | None:
        turned = _turned()
        instant = next_due(now=now + turned)
        return instant - turned if instant else None

    return due


def ahead() -> timedelta:
    shift = ClockShift.objects.first()
    return shift.ahead if shift else timedelta(0)


def _turned() -> timedelta:
    return ahead() if settings.MARKETPLACE_CONTROL_KEY else timedelta(0)

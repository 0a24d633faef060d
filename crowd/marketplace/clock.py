"""The marketplace's one clock. Tests and rehearsals may turn it where the control API is switched on."""

from datetime import datetime, timedelta
from functools import wraps
from typing import Protocol

from django.conf import settings
from django.utils import timezone

from crowd.marketplace.models import ClockShift


class NextDue(Protocol):
    """When something becomes due by the clock alone; None if nothing waits."""

    def __call__(self, *, now: datetime) -> datetime | None: ...


def now() -> datetime:
    """The machine's time, ahead by what was turned. Signatures alone are judged by the machine's own."""
    return timezone.now() + _turned()


def by_the_machine(next_due: NextDue) -> NextDue:
    """The same, asked and answered in the machine's time. It holds until the clock is turned again."""

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

"""The marketplace's one clock. Tests and rehearsals may turn it where the control API is switched on."""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from crowd.marketplace.models import ClockShift


def now() -> datetime:
    """The machine's time, ahead by what was turned. Signatures alone are judged by the machine's own."""
    if not settings.MARKETPLACE_CONTROL_KEY:
        return timezone.now()
    return timezone.now() + ahead()


def ahead() -> timedelta:
    shift = ClockShift.objects.first()
    return shift.ahead if shift else timedelta(0)

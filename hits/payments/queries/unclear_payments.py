"""Payments that wait for a person: unclear, refused, never listed, or paid by a HIT of their own."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from hits.ledger.models.bonuses import Bonus
from hits.work.access import visible

Status = Bonus.Status
# A payment that the provider accepted and has not listed for this long waits for a person.
UNLISTED_AFTER = timedelta(minutes=30)
STATES: dict[str, str] = {
    "refused": "Refused",
    "unknown": "Outcome unknown",
    "unlisted": "Sent, and not listed",
    "by_hit": "Paid by a HIT of their own",
}


def waiting_payments(user: Any, *, now: datetime, state: str = "") -> QuerySet[Bonus]:
    """Payments of this state, or of all of them, that wait for a person; the longest waiting first."""
    conditions = {
        "refused": Q(status=Status.REFUSED),
        "unknown": Q(status=Status.UNKNOWN),
        "unlisted": Q(status=Status.SENT, sent_at__lt=now - UNLISTED_AFTER),
        "by_hit": Q(status=Status.COMPENSATING),
    }
    wanted = conditions.get(state) or Q()
    if state not in conditions:
        for condition in conditions.values():
            wanted |= condition
    return visible(
        Bonus.objects.filter(wanted)
        .select_related("assignment__worker", "assignment__account", "assignment__hit__batch__study")
        .defer("assignment__answer")
        .order_by("sending_at", "pk"),
        user,
    )

"""Rows that have served their time."""

from datetime import datetime, timedelta

from django.db.models import Exists, Model, OuterRef, QuerySet

from crowd.marketplace.models import (
    Destination,
    Event,
    Invitation,
    NotificationSetting,
    OperatorSession,
    RequestToken,
    Subscription,
    WorkerSession,
)
from crowd.marketplace.services import topics

MOST_AT_ONCE = 1000  # of each kind, so that no run holds the database for long
TOKEN_MEMORY = timedelta(hours=24)
DELIVERED_KEPT = timedelta(days=7)
GIVEN_UP_KEPT = timedelta(days=30)  # longer: somebody may ask why nothing came


def tidy(*, now: datetime) -> int:
    """How many rows went; what is left over goes next time."""
    return sum(_delete(rows) for rows in _outdated(now=now))


def _outdated(*, now: datetime) -> list[QuerySet[Model]]:
    return [
        RequestToken.objects.filter(created_at__lt=now - TOKEN_MEMORY),
        WorkerSession.objects.filter(expires_at__lte=now),
        OperatorSession.objects.filter(expires_at__lte=now),
        Invitation.objects.filter(expires_at__lte=now),
        Event.objects.filter(delivered_at__lt=now - DELIVERED_KEPT),
        Event.objects.filter(given_up_at__lt=now - GIVEN_UP_KEPT),
        Subscription.objects.filter(confirmed_at=None, asked_at__lt=now - topics.CONFIRMATION_LIFE),
        _unused_destinations(now=now),
    ]


def _unused_destinations(*, now: datetime) -> QuerySet[Destination]:
    """Of settings that were replaced, and of tests. One that was used lately may be used again."""
    settings = NotificationSetting.objects.filter(destination=OuterRef("pk"))
    subscriptions = Subscription.objects.filter(destination=OuterRef("pk"))
    events = Event.objects.filter(destination=OuterRef("pk"))
    return Destination.objects.filter(
        ~Exists(settings), ~Exists(subscriptions), ~Exists(events), free_at__lt=now - DELIVERED_KEPT
    )


def _delete(rows: QuerySet[Model]) -> int:
    oldest = list(rows.order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE])
    return rows.model._default_manager.filter(pk__in=oldest).delete()[0] if oldest else 0

"""Deletion of rows whose time of keeping is over."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, Min, OuterRef, QuerySet

from crowd.marketplace.models import (
    Complaint,
    Destination,
    Email,
    Event,
    NotificationSetting,
    RequestToken,
    Subscription,
)
from crowd.marketplace.models.parties import Invitation, OperatorSession, WorkerSession
from crowd.marketplace.services import topics

MOST_AT_ONCE = 1000  # of each kind, so that no run holds the database for long
TOKEN_MEMORY = timedelta(hours=24)
DELIVERED_KEPT = timedelta(days=7)
COMPLAINT_KEPT = timedelta(days=365)  # from its answer on
GIVEN_UP_KEPT = timedelta(days=30)  # longer: a requester may ask why nothing came


@dataclass(frozen=True, kw_only=True)
class Term:
    """The time for which rows are kept after the instant in one of their columns."""

    rows: QuerySet[Any]
    since: str
    kept: timedelta = timedelta(0)

    def outdated(self, *, now: datetime) -> QuerySet[Any]:
        return self.rows.filter(**{f"{self.since}__lt": now - self.kept})

    def next_end(self) -> datetime | None:
        first: datetime | None = self.rows.aggregate(first=Min(self.since))["first"]
        return first + self.kept + timedelta.resolution if first else None


def tidy(*, now: datetime) -> int:
    """Delete outdated rows; return their number. Rows beyond the limit are deleted next time."""
    return sum(_delete(term.outdated(now=now)) for term in _terms())


def next_tidying(*, now: datetime) -> datetime | None:
    """The instant when the first existing row becomes outdated."""
    return min(filter(None, (term.next_end() for term in _terms())), default=None)


def _terms() -> list[Term]:
    delivered = Event.objects.filter(delivered_at__isnull=False)
    given_up = Event.objects.filter(given_up_at__isnull=False)
    sent_emails = Email.objects.filter(sent_at__isnull=False)
    lost_emails = Email.objects.filter(given_up_at__isnull=False)
    answered = Complaint.objects.filter(answered_at__isnull=False)
    unconfirmed = Subscription.objects.filter(confirmed_at=None)
    return [
        Term(rows=RequestToken.objects.all(), since="created_at", kept=TOKEN_MEMORY),
        Term(rows=WorkerSession.objects.all(), since="expires_at"),
        Term(rows=OperatorSession.objects.all(), since="expires_at"),
        Term(rows=Invitation.objects.all(), since="expires_at"),
        Term(rows=delivered, since="delivered_at", kept=DELIVERED_KEPT),
        Term(rows=given_up, since="given_up_at", kept=GIVEN_UP_KEPT),
        Term(rows=sent_emails, since="sent_at", kept=DELIVERED_KEPT),
        Term(rows=lost_emails, since="given_up_at", kept=GIVEN_UP_KEPT),
        Term(rows=answered, since="answered_at", kept=COMPLAINT_KEPT),
        Term(rows=unconfirmed, since="asked_at", kept=topics.CONFIRMATION_LIFE),
        Term(rows=_unused_destinations(), since="free_at", kept=DELIVERED_KEPT),
    ]


def _unused_destinations() -> QuerySet[Destination]:
    """Destinations of replaced settings and of tests. One that was used lately may be used again."""
    settings = NotificationSetting.objects.filter(destination=OuterRef("pk"))
    subscriptions = Subscription.objects.filter(destination=OuterRef("pk"))
    events = Event.objects.filter(destination=OuterRef("pk"))
    return Destination.objects.filter(~Exists(settings), ~Exists(subscriptions), ~Exists(events))


def _delete(rows: QuerySet[Any]) -> int:
    oldest = list(rows.order_by("pk").values_list("pk", flat=True)[:MOST_AT_ONCE])
    return rows.model._default_manager.filter(pk__in=oldest).delete()[0] if oldest else 0

"""What one person decided in one go: such decisions have the same moment."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q, QuerySet

from hits.identity.models.users import User
from hits.work.models.decisions import Decision

Status = Decision.Status


@dataclass(frozen=True, kw_only=True)
class Unsent:
    """Decisions that can still be undone, and when the first of them is sent."""

    intended: int
    waiting: int
    send_at: datetime | None

    @property
    def count(self) -> int:
        return self.intended + self.waiting


def unsent_together(*, by: User, made_at: datetime) -> QuerySet[Decision]:
    """Return those that no process has begun to send: few, however many were ever made."""
    unsent = Decision.objects.filter(status__in=(Status.WAITING, Status.INTENDED), claimed_at=None)
    return unsent.filter(by=by, made_at=made_at)


def count_unsent(*, by: User, made_at: datetime) -> Unsent:
    intended = Q(status=Status.INTENDED)
    return Unsent(
        **unsent_together(by=by, made_at=made_at).aggregate(
            intended=Count("pk", filter=intended),
            waiting=Count("pk", filter=~intended),
            send_at=Min("send_at", filter=intended),
        )
    )

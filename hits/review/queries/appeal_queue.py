"""Appeals in the order in which they need an answer, and the facts that belong to one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Min, Q, QuerySet, When

from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.review.models import Appeal
from hits.work.access import visible
from hits.work.models.decisions import Decision

OPEN = Appeal.Status.OPEN
# Ordered by it, what waits comes first.
OPEN_FIRST = Case(When(status=OPEN, then=0), default=1).asc()


@dataclass(frozen=True, kw_only=True)
class WaitingAppeals:
    """Number of appeals that wait, how many of them are overdue, and since when the oldest one waits."""

    open: int
    overdue: int
    oldest_at: datetime | None


def waiting_for(user: User, *, overdue_before: datetime) -> WaitingAppeals:
    """Return the numbers of waiting appeals that the user may see."""
    found = visible(Appeal.objects.filter(status=OPEN), user).aggregate(
        open=Count("pk"), overdue=Count("pk", filter=Q(made_at__lt=overdue_before)), oldest_at=Min("made_at")
    )
    return WaitingAppeals(**found)


def read_appeal(appeals: QuerySet[Appeal], *, pk: int) -> Appeal | None:
    rows = appeals.select_related(
        "worker", "answered_by", "assignment__account", "assignment__worker", "assignment__hit__batch__study"
    )
    return rows.filter(pk=pk).first()


def next_open(user: User, *, after: int) -> int | None:
    """Key of the oldest other appeal that waits."""
    rows = visible(Appeal.objects.filter(status=OPEN).exclude(pk=after), user)
    return rows.order_by("pk").values_list("pk", flat=True).first()


def bonuses_of(appeal: Appeal) -> Sequence[Bonus]:
    rows = Bonus.objects.filter(assignment=appeal.assignment_id).order_by("rule", "revision")
    return list(rows.select_related("approved_by"))


def decisions_on(appeal: Appeal) -> Sequence[Decision]:
    rows = Decision.objects.filter(assignment=appeal.assignment_id)
    return list(rows.select_related("by", "second_by").order_by("pk"))


def others_of(appeal: Appeal, *, user: Any, most: int) -> Sequence[Appeal]:
    """Return the worker's other appeals that the user may see, newest first: on this work and on others."""
    rows = visible(Appeal.objects.filter(worker=appeal.worker_id).exclude(pk=appeal.pk), user)
    return list(rows.select_related("answered_by", "assignment__hit__batch").order_by("-pk")[:most])

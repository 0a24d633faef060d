"""What one person decided in one go: such decisions have the same moment."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q, QuerySet

from hits.identity.models.users import User
from hits.work.models.decisions import Decision

Kind = Decision.Kind
Status = Decision.Status
NOUNS: dict[str, tuple[str, str]] = {
    Kind.APPROVE: ("approval", "approvals"),
    Kind.KEEP_OUT: ("approval without the data", "approvals without the data"),
    Kind.REJECT: ("rejection", "rejections"),
    Kind.OVERRIDE: ("rejection taken back", "rejections taken back"),
}


@dataclass(frozen=True, kw_only=True)
class Unsent:
    """Decisions that can still be undone, and when the first of them is sent; `sent` cannot be undone."""

    intended: int
    waiting: int
    send_at: datetime | None
    kind: str
    sent: int

    @property
    def count(self) -> int:
        return self.intended + self.waiting

    @property
    def words(self) -> str:
        return in_words(self.kind, self.count)


def unsent_together(*, by: User, made_at: datetime) -> QuerySet[Decision]:
    """Return those that no process has begun to send: few, however many were ever made."""
    unsent = Decision.objects.filter(status__in=(Status.WAITING, Status.INTENDED), claimed_at=None)
    return unsent.filter(by=by, made_at=made_at)


def count_unsent(*, by: User, made_at: datetime) -> Unsent:
    waiting, claimed = Q(status=Status.WAITING), Q(claimed_at__isnull=False)
    intended = Q(status=Status.INTENDED, claimed_at=None)
    made = Decision.objects.filter(by=by, made_at=made_at).aggregate(
        intended=Count("pk", filter=intended),
        waiting=Count("pk", filter=waiting & ~claimed),
        send_at=Min("send_at", filter=intended),
        # Those of one moment are of one kind.
        kind=Min("kind"),
        sent=Count("pk", filter=Q(status=Status.DONE) | (claimed & Q(status=Status.INTENDED))),
    )
    return Unsent(**{**made, "kind": made["kind"] or ""})


def in_words(kind: str, count: int) -> str:
    """What is undone, in words: "3 approvals"."""
    one, more = NOUNS.get(kind, ("decision", "decisions"))
    return f"{count} {one if count == 1 else more}"

"""A worker's own records: accepted work, submitted work, messages and payouts."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import CharField, Exists, OuterRef, QuerySet, Sum, Value
from django.db.models.functions import Cast, Concat

from crowd.marketplace.models import Assignment, LedgerEntry, Payout
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.queries.capped_counts import CappedCount
from crowd.marketplace.queries.keysets import Keyset
from crowd.marketplace.queries.search_words import contains_all
from hits.common.kept_queries import NOW, Given, KeptQuery, given_id

Status = Assignment.Status
LATEST = Keyset(("-pk",))
HISTORY = {
    "newest": LATEST,
    "oldest": Keyset(("pk",)),
    "reward": Keyset(("-hit__hit_type__reward", "-pk")),
}
HANDED_IN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
MOST_UNREAD = 9
SEARCHED = ("hit__hit_type__title", "hit__hit_type__requester__name")


class Waiting(NamedTuple):
    """What the bar of every page says of the worker."""

    unread: int  # messages, counted to one more than the page shows
    accepted: int  # work that may still be submitted


def accepted_work(*, worker: Worker | Given) -> QuerySet[Assignment]:
    return (
        Assignment.objects.filter(worker=worker, status=Status.ACCEPTED)
        .select_related("hit__hit_type__requester")
        .order_by("deadline_at", "pk")
    )


def reward_waiting(*, worker: Worker) -> Decimal:
    """Rewards of the work that waits for approval, without bonuses."""
    waiting = Assignment.objects.filter(worker=worker, status=Status.SUBMITTED)
    return waiting.aggregate(sum=Sum("hit__hit_type__reward"))["sum"] or Decimal(0)


def history(*, worker: Worker, status: str = "", words: Sequence[str] = ()) -> QuerySet[Assignment]:
    """The worker's submitted work, newest first, with its bonuses; limited to one status if that is given."""
    return (
        Assignment.objects.filter(
            contains_all(list(words), columns=SEARCHED),
            worker=worker,
            status__in=[status] if status in HANDED_IN else HANDED_IN,
        )
        .select_related("hit__hit_type__requester")
        .prefetch_related("bonuses")
        .order_by("-pk")
    )


def messages(*, worker: Worker) -> QuerySet[Message]:
    return Message.objects.filter(worker=worker).select_related("requester")


def count_waiting(*, worker: Worker, now: datetime) -> Waiting:
    return Waiting(*COUNTS.rows(worker=worker.pk, now=now)[0])


def _counts() -> QuerySet[Worker, tuple[int, int]]:
    unread = Message.objects.filter(worker=OuterRef("pk"), read_at=None).values("pk")
    accepted = Assignment.objects.filter(worker=OuterRef("pk"), status=Status.ACCEPTED, deadline_at__gt=NOW)
    counts = (CappedCount(unread[: MOST_UNREAD + 1]), CappedCount(accepted.values("pk")))
    return Worker.objects.filter(pk=given_id("worker")).values_list(*counts)


COUNTS = KeptQuery(_counts)
ACCEPTED = KeptQuery(lambda: accepted_work(worker=given_id("worker")))


def payouts(*, worker: Worker) -> QuerySet[Payout]:
    """The worker's payouts, without those that an operator had marked by mistake."""
    return Payout.objects.filter(~is_taken_back(), worker=worker)


def is_taken_back() -> Exists:
    """Whether a payout was marked by mistake and is owed again; the ledger alone keeps it."""
    subject = Concat(Value("payout "), Cast(OuterRef("pk"), CharField()), Value(" taken back"))
    entries = LedgerEntry.objects.filter(worker=OuterRef("worker"), account=LedgerEntry.Account.PAID)
    return Exists(entries.filter(subject=subject))

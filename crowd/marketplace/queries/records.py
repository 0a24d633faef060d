"""A worker's own records: accepted work, submitted work, messages and payouts."""

from collections.abc import Sequence

from django.db.models import QuerySet

from crowd.marketplace.models import Assignment, Payout
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.queries.keysets import Keyset
from crowd.marketplace.queries.search_words import contains_all

Status = Assignment.Status
LATEST = Keyset(("-pk",))
HISTORY = {
    "newest": LATEST,
    "oldest": Keyset(("pk",)),
    "reward": Keyset(("-hit__hit_type__reward", "-pk")),
}
HANDED_IN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
SEARCHED = ("hit__hit_type__title", "hit__hit_type__requester__name")


def accepted_work(*, worker: Worker) -> QuerySet[Assignment]:
    return (
        Assignment.objects.filter(worker=worker, status=Status.ACCEPTED)
        .select_related("hit__hit_type__requester")
        .order_by("deadline_at", "pk")
    )


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


def count_unread(*, worker: Worker) -> int:
    """Unread messages, counted up to ten: the page shows more as 9+."""
    return Message.objects.filter(worker=worker, read_at=None)[:10].count()


def payouts(*, worker: Worker) -> QuerySet[Payout]:
    return Payout.objects.filter(worker=worker)

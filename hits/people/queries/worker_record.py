"""Record of one worker, as far as the person who asks may see it. The cost does not grow with pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import (
    Count,
    DecimalField,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from hits.batches.queries.work_times import EFFECTIVE_S, of_the_house
from hits.core.domain.money import round_to_cents
from hits.core.domain.wages import percentile
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.people.models import Message, Recipient
from hits.work.access import SEES_ALL, studies_of, visible
from hits.work.models.assignments import Assignment

Status = Assignment.Status
REVIEWED = (Status.APPROVED, Status.REJECTED)
# The newest of a worker's times; their median tells enough.
MOST_TIMES = 1000


@dataclass(frozen=True, kw_only=True)
class Mean:
    """Average value of a worker's answers by one measure."""

    measure: str
    value: float
    count: int

    @property
    def percent(self) -> int:
        return round(100 * self.value)


MeansOf = Callable[[QuerySet[Assignment]], Sequence[Mean]]
_readers: list[MeansOf] = []


def register_means(reader: MeansOf) -> None:
    """Register how scores are read: they are in a higher room, whose AppConfig.ready calls this."""
    _readers.append(reader)


@dataclass(frozen=True, kw_only=True)
class Record:
    """A worker's assignments in numbers."""

    counts: Mapping[str, int]
    rewards: Decimal

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def approval(self) -> str:
        """Share of the decided assignments that was approved."""
        approved, rejected = self.counts[Status.APPROVED], self.counts[Status.REJECTED]
        decided = approved + rejected
        return f"{100 * approved // decided} % of {decided}" if decided else "nothing decided yet"

    @property
    def by_status(self) -> list[tuple[str, int]]:
        return [(status.label, self.counts[status]) for status in Status if self.counts[status]]


def workers_for(user: Any) -> QuerySet[Worker]:
    """Workers whom the user may see, each with the blocks in force; one row, however much work there is."""
    blocks = Block.objects.in_force().filter(worker=OuterRef("pk"))
    return (
        visible(Worker.objects.all(), user)
        .select_related("account")
        .annotate(
            is_blocked_softly=Exists(blocks.filter(kind=Block.Kind.SOFT)),
            is_blocked_hard=Exists(blocks.filter(kind=Block.Kind.HARD)),
        )
    )


def with_counts(workers: QuerySet[Worker], user: Any) -> QuerySet[Worker]:
    """Annotate workers with numbers of submitted and approved work, for the rows of one page alone."""
    own = visible(Assignment.objects.filter(worker=OuterRef("pk")), user)
    return workers.annotate(
        handed_in=_count(own.filter(submitted_at__isnull=False)),
        approved=_count(own.filter(status=Status.APPROVED)),
    )


def work_of(worker: Worker, user: Any) -> QuerySet[Assignment]:
    return visible(Assignment.objects.filter(worker=worker), user)


def record_of(worker: Worker, user: Any) -> Record:
    counts: dict[str, int] = dict.fromkeys(Status, 0)
    rewards = Decimal(0)
    rows = work_of(worker, user).order_by().values("status")
    for row in rows.annotate(count=Count("pk"), rewards=Sum("hit__batch__reward")):
        counts[row["status"]] = row["count"]
        if row["status"] == Status.APPROVED:
            rewards = round_to_cents(row["rewards"])
    return Record(counts=counts, rewards=rewards)


def median_time(worker: Worker, user: Any) -> float | None:
    """Median of the worker's newest times, as the review and the live view count them."""
    timed = work_of(worker, user).exclude(of_the_house()).annotate(seconds=EFFECTIVE_S)
    newest = timed.filter(seconds__isnull=False).order_by("-pk").values_list("seconds", flat=True)
    return percentile(list(newest[:MOST_TIMES]), 0.5)


def means_of(worker: Worker, user: Any) -> list[Mean]:
    return [mean for reader in _readers for mean in reader(work_of(worker, user))]


def work_with_bonuses(worker: Worker, user: Any) -> QuerySet[Assignment]:
    """Work of the worker, newest first, each assignment with its time and the sum of its bonuses."""
    owed = Bonus.objects.filter(assignment=OuterRef("pk")).exclude(status=Bonus.Status.WAIVED)
    sums = owed.order_by().values("assignment").annotate(sum=Sum("amount")).values("sum")
    return (
        work_of(worker, user)
        .select_related("hit__batch__study")
        .defer("answer")
        .annotate(bonus=Coalesce(Subquery(sums), Value(0), output_field=DecimalField()), seconds=EFFECTIVE_S)
        .order_by("-pk")
    )


def bonuses_of(worker: Worker, user: Any) -> QuerySet[Bonus]:
    own = Bonus.objects.filter(assignment__worker=worker)
    return visible(own, user).select_related("assignment__hit__batch__study").order_by("-pk")


@dataclass(frozen=True, kw_only=True)
class BonusSum:
    words: str
    count: int
    amount: Decimal


def bonus_sums(worker: Worker, user: Any) -> list[BonusSum]:
    """Sums of the worker's bonuses by status, in the order in which a bonus goes through them."""
    rows = bonuses_of(worker, user).select_related(None).order_by().values("status")
    found = {row["status"]: row for row in rows.annotate(count=Count("pk"), amount=Sum("amount"))}
    return [
        BonusSum(
            words=status.label,
            count=found[status]["count"],
            amount=round_to_cents(found[status]["amount"]),
        )
        for status in Bonus.Status
        if status in found
    ]


def messages_for(user: Any) -> QuerySet[Message]:
    """Messages that the user wrote, and those of the user's studies."""
    if user.has_perm(SEES_ALL):
        return Message.objects.all()
    return Message.objects.filter(Q(study__in=studies_of(user)) | Q(by=user.pk))


def letters_to(worker: Worker, user: Any) -> QuerySet[Recipient]:
    shown = Recipient.objects.filter(worker=worker)
    if not user.has_perm(SEES_ALL):
        shown = shown.filter(message__in=messages_for(user))
    return shown.select_related("message__by", "message__study").order_by("-pk")


def count_reviewed(workers: QuerySet[Worker]) -> int:
    """Number of workers with reviewed work: a provider delivers letters only to those."""
    reviewed = Assignment.objects.filter(worker=OuterRef("pk"), status__in=REVIEWED)
    return workers.filter(Exists(reviewed)).count()


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Numbers of a message's recipients by status."""

    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def by_status(self) -> list[tuple[str, str, int]]:
        """Value, label and number of each status that occurs."""
        statuses = [status for status in Recipient.Status if self.counts.get(status)]
        return [(status.value, status.label, self.counts[status]) for status in statuses]

    @property
    def words(self) -> str:
        return ", ".join(f"{count} {label.lower()}" for _, label, count in self.by_status)


def tallies(message_ids: Iterable[int]) -> dict[int, Tally]:
    """Return the tallies of a page of messages in one query."""
    ids = list(message_ids)
    counts: dict[int, dict[str, int]] = {pk: {} for pk in ids}
    rows = Recipient.objects.filter(message__in=ids).order_by().values("message", "status")
    for row in rows.annotate(count=Count("pk")):
        counts[row["message"]][row["status"]] = row["count"]
    return {pk: Tally(counts=counts[pk]) for pk in ids}


def _count(assignments: QuerySet[Assignment]) -> Coalesce:
    counted = assignments.order_by().values("worker").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), Value(0), output_field=IntegerField())

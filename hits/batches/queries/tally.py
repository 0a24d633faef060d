"""Batches in numbers: one count of rows serves the figures, the money and the progress."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from hits.batches.queries.work_times import EFFECTIVE_S, of_the_house
from hits.core.domain.money import Prices, round_to_cents
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change

Status = Assignment.Status
# Work that holds its place for good: a rejection gives none back.
TAKEN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
PAID = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)
# Bonuses that two people gave up, or that HITs of their own pay.
GIVEN_UP = {Bonus.Status.WAIVED, Bonus.Status.COMPENSATING}
NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """A batch in numbers, each counted from rows."""

    hits: int
    hits_sent: int
    places: int
    submitted: int
    approved: int
    bonuses_owed: Decimal
    bonuses_paid: Decimal

    @property
    def is_unsettled(self) -> bool:
        return self.submitted > self.approved or self.bonuses_owed > self.bonuses_paid

    @property
    def done_percent(self) -> int:
        return 100 * self.submitted // self.places if self.places else 0


@dataclass(frozen=True, kw_only=True)
class HITGroup:
    status: str
    size: int
    is_live: bool  # somebody can still start it, or will be able to again
    n: int


@dataclass(frozen=True, kw_only=True)
class WorkGroup:
    status: str
    size: int
    on_live: bool
    kept_out: bool
    is_owed: bool  # its bonuses are rows by now
    n: int

    @property
    def is_taken(self) -> bool:
        return self.status in TAKEN


@dataclass(frozen=True, kw_only=True)
class BonusGroup:
    status: str
    amount: Decimal
    n: int


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A batch's rows in groups that cost the same."""

    hits: list[HITGroup]
    work: list[WorkGroup]
    bonuses: list[BonusGroup]
    # Places that the provider must still be told of, by the size of the HIT.
    adding: dict[int, int]

    def count_hits(self, *statuses: str) -> int:
        return sum(group.n for group in self.hits if group.status in statuses)

    def count_work(self, *statuses: str) -> int:
        return sum(group.n for group in self.work if group.status in statuses)

    @property
    def places(self) -> int:
        return sum(group.n * group.size for group in self.hits if group.status != HIT.Status.WITHDRAWN)

    @property
    def kept_out(self) -> int:
        return sum(group.n for group in self.work if group.kept_out and group.is_taken)

    def bonus_sum(self, *statuses: str) -> Decimal:
        """Sum of the bonuses in these states; without any, of all that the batch still pays or has paid."""
        return _sum(group.n * group.amount for group in self._bonuses(statuses))

    def spent(self, prices: Prices) -> Decimal:
        """Amount that has been paid, with its fees."""
        approved = (group for group in self.work if group.status == Status.APPROVED)
        return _sum(group.n * _reward_and_fee(prices, group.size) for group in approved) + self._bonus_cost(
            prices, PAID
        )

    def at_most(self, prices: Prices) -> Decimal:
        """The most that the batch has cost and can still cost: open places and undecided work count whole."""
        places = _sum(n * prices.place(assignments_per_hit=size) for size, n in self._open_places().items())
        return places + _sum(_work_cost(group, prices) for group in self.work) + self._bonus_cost(prices, ())

    def _open_places(self) -> dict[int, int]:
        places = dict(self.adding)
        for hit in self.hits:
            if hit.is_live:
                places[hit.size] = places.get(hit.size, 0) + hit.n * hit.size
        for work in self.work:
            if work.on_live and work.is_taken:
                places[work.size] = places.get(work.size, 0) - work.n
        return {size: max(0, n) for size, n in places.items()}

    def _bonus_cost(self, prices: Prices, statuses: Iterable[str]) -> Decimal:
        return _sum(
            group.n * (group.amount + prices.fees.on_bonus(group.amount)) for group in self._bonuses(statuses)
        )

    def _bonuses(self, statuses: Iterable[str]) -> list[BonusGroup]:
        wanted = set(statuses) or set(Bonus.Status.values) - GIVEN_UP
        return [group for group in self.bonuses if group.status in wanted]


def tally_of(batch: Batch) -> Tally:
    """Tally of a batch in four queries, whatever its size."""
    changes = Change.objects.filter(hit__batch=batch, status=Change.Status.INTENDED)
    adding = changes.filter(kind=Change.Kind.ADD).values_list("hit__max_assignments")
    opening = changes.filter(kind__in=(Change.Kind.EXTEND, Change.Kind.ADD))
    is_live = Q(hit__status__in=(HIT.Status.INTENDED, HIT.Status.OPEN)) | Q(hit__time_left__isnull=False)
    work = Assignment.objects.filter(hit__batch=batch)
    hits = batch.hits.order_by()
    hit_is_live = Q(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN)) | Q(time_left__isnull=False)
    return Tally(
        hits=[
            HITGroup(status=status, size=size, is_live=bool(live), n=n)
            for status, size, live, n in hits.annotate(
                live=_flag(hit_is_live | Exists(opening.filter(hit=OuterRef("pk"))))
            )
            .values_list("status", "max_assignments", "live")
            .annotate(n=Count("pk"))
        ],
        work=[
            WorkGroup(status=status, size=size, on_live=bool(live), kept_out=out, is_owed=bool(owed), n=n)
            for status, size, live, out, owed, n in work.annotate(
                live=_flag(is_live | Exists(opening.filter(hit=OuterRef("hit")))),
                owed=_flag(Q(owed_at__isnull=False)),
            )
            .values_list("status", "hit__max_assignments", "live", "kept_out", "owed")
            .annotate(n=Count("pk"))
        ],
        bonuses=[
            BonusGroup(status=status, amount=amount, n=n)
            for status, amount, n in Bonus.objects.filter(assignment__hit__batch=batch, compensation=None)
            .values_list("status", "amount")
            .annotate(n=Count("pk"))
        ],
        adding=dict(adding.annotate(n=Sum("places"))),
    )


def progress_of(batch: Batch) -> Progress:
    tally = tally_of(batch)
    sent = (HIT.Status.OPEN, HIT.Status.CLOSED)
    return Progress(
        hits=tally.count_hits(HIT.Status.INTENDED, *sent),
        hits_sent=tally.count_hits(*sent),
        places=tally.places,
        submitted=tally.count_work(*TAKEN),
        approved=tally.count_work(Status.APPROVED),
        bonuses_owed=round_to_cents(tally.bonus_sum()),
        bonuses_paid=round_to_cents(tally.bonus_sum(*PAID)),
    )


def batches_with_counts() -> QuerySet[Batch]:
    """Batches with their last counted numbers, so that a list counts nothing; drafts with planned ones."""
    return Batch.objects.select_related("study", "account").annotate(
        places=Coalesce(
            _figure("places"), F("hits_wanted") * F("assignments_per_hit"), output_field=IntegerField()
        ),
        submitted=Coalesce(_figure("submitted"), 0),
    )


def seconds_worked(batch: Batch) -> dict[int, int]:
    """How often submitted work took so many seconds, where known; active time where it was reported."""
    counted = (
        Assignment.objects.filter(hit__batch=batch, status__in=TAKEN)
        .exclude(of_the_house())
        .annotate(seconds=EFFECTIVE_S)
        .filter(seconds__isnull=False)
        .order_by()
        .values_list("seconds")
        .annotate(n=Count("pk"))
    )
    return dict(counted)


def _work_cost(group: WorkGroup, prices: Prices) -> Decimal:
    if group.status == Status.SUBMITTED:
        return group.n * prices.place(assignments_per_hit=group.size)
    if group.status != Status.APPROVED:
        return NOTHING
    if group.is_owed or group.kept_out:
        return group.n * _reward_and_fee(prices, group.size)
    return group.n * prices.place(assignments_per_hit=group.size)


def _reward_and_fee(prices: Prices, size: int) -> Decimal:
    return prices.reward + prices.fee(assignments_per_hit=size)


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, NOTHING)


def _flag(condition: Q | Combinable) -> ExpressionWrapper[Any]:
    return ExpressionWrapper(condition, output_field=BooleanField())


def _figure(name: str) -> Cast:
    return Cast(KeyTextTransform(name, "figures"), IntegerField())

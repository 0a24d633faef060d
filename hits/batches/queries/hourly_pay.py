"""Hourly pay of approved work, bonuses included, compared with the study's wage floor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import (
    BooleanField,
    Count,
    DecimalField,
    ExpressionWrapper,
    F,
    FloatField,
    Max,
    Q,
    QuerySet,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Coalesce

from hits.batches.queries.group_counts import count_by
from hits.batches.queries.work_times import EFFECTIVE_S, of_the_house
from hits.core.domain.money import round_to_cents
from hits.core.domain.wages import HOUR_S, cents, hourly_wage, lacking, percentile_of_counts
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment

TOP_UP = "wage top-up"
BARS = 10
# How much an hour a bar of the chart is wide.
WIDTHS = tuple(Decimal(width) for width in ("0.5", "1", "2", "5", "10", "20", "50", "100", "500", "5000"))
NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class PayGroup:
    """Approved assignments that took equally long and earned equally much."""

    seconds: int
    earned: Decimal
    # Amount of top-ups that two people gave up: what they decided is not asked again.
    given_up: Decimal
    # Its bonus table has been read, and no top-up for this floor was proposed before.
    is_due: bool
    n: int

    @property
    def hourly(self) -> Decimal:
        return hourly_wage(reward=self.earned, seconds=self.seconds) or NOTHING


@dataclass(frozen=True, kw_only=True)
class PayBar:
    start: Decimal
    end: Decimal | None
    count: int


@dataclass(frozen=True, kw_only=True)
class TopUp:
    """The amount that one submission lacks, as the page shows it and as it is proposed."""

    assignment: Assignment
    seconds: int
    is_active_time: bool
    earned: Decimal
    amount: Decimal
    # How many top-ups this work has been given before.
    revision: int

    @property
    def hourly(self) -> Decimal:
        return hourly_wage(reward=self.earned, seconds=self.seconds) or NOTHING


@dataclass(frozen=True, kw_only=True)
class Pay:
    """A batch's approved work by hourly pay. Without a floor, nothing is below it."""

    batch: Batch
    floor: Decimal | None
    groups: Sequence[PayGroup]
    approved: int

    @cached_property
    def measured(self) -> int:
        return sum(group.n for group in self.groups)

    @cached_property
    def median(self) -> Decimal | None:
        return self._at(0.5)

    @cached_property
    def tenth(self) -> Decimal | None:
        """Tenth percentile of hourly pay: nine of ten earn at least this."""
        return self._at(0.1)

    @cached_property
    def is_low(self) -> bool:
        """Whether the tenth percentile is below the floor, which is what is watched."""
        return self.floor is not None and self.tenth is not None and self.tenth < self.floor

    @cached_property
    def below(self) -> int:
        return sum(group.n for group, _ in self._lacking)

    @cached_property
    def due(self) -> int:
        """Number of top-ups that can be proposed now."""
        return sum(n for n, _ in self._due)

    @cached_property
    def total(self) -> Decimal:
        return sum((n * amount for n, amount in self._due), NOTHING)

    @cached_property
    def fees(self) -> Decimal:
        fees = self.batch.prices.fees
        return sum((n * fees.on_bonus(amount) for n, amount in self._due), NOTHING)

    @cached_property
    def bars(self) -> list[PayBar]:
        """Even bars up to twice the median, or twice the floor if that is more; the last holds the rest."""
        if self.median is None:
            return []
        top = max(2 * self.median, 2 * (self.floor or NOTHING))
        width = next((width for width in WIDTHS if top <= width * (BARS - 1)), WIDTHS[-1])
        counts = [0] * BARS
        for group in self.groups:
            counts[min(int(group.hourly // width), BARS - 1)] += group.n
        last = max(place for place, count in enumerate(counts) if count)
        return [
            PayBar(start=place * width, end=(place + 1) * width if place < BARS - 1 else None, count=count)
            for place, count in enumerate(counts[: last + 1])
        ]

    @cached_property
    def _lacking(self) -> list[tuple[PayGroup, Decimal]]:
        if self.floor is None:
            return []
        found = (
            (group, lacking(earned=group.earned, seconds=group.seconds, floor=self.floor))
            for group in self.groups
        )
        return [(group, amount) for group, amount in found if amount]

    @cached_property
    def _due(self) -> list[tuple[int, Decimal]]:
        found = ((group.n, amount - group.given_up) for group, amount in self._lacking if group.is_due)
        return [(n, amount) for n, amount in found if amount > 0]

    @cached_property
    def _by_cents(self) -> Counter[int]:
        counts = Counter[int]()
        for group in self.groups:
            counts[cents(group.hourly)] += group.n
        return counts

    def _at(self, share: float) -> Decimal | None:
        found = percentile_of_counts(self._by_cents, share)
        return None if found is None else round_to_cents(Decimal(str(found)) / 100)


def pay_of(batch: Batch) -> Pay:
    """Hourly pay of a batch, in one query whatever its size. Work kept out earns no bonus and is left out."""
    floor = batch.study.wage_floor
    each = _with_bonuses(_approved(batch).order_by().values("pk"), floor=floor)
    counted = count_by("seconds", "extra", "given_up", "is_read", "topped", rows=each)
    groups = [
        PayGroup(
            seconds=seconds,
            earned=batch.reward + round_to_cents(Decimal(extra)),
            given_up=round_to_cents(Decimal(given_up)),
            is_due=bool(is_read and not topped),
            n=n,
        )
        for seconds, extra, given_up, is_read, topped, n in counted
        if seconds
    ]
    return Pay(batch=batch, floor=floor, groups=groups, approved=sum(row[-1] for row in counted))


def top_ups_due(batch: Batch, *, most: int) -> list[TopUp]:
    """Top-ups that can be proposed now, in one query, the largest lack first."""
    floor = batch.study.wage_floor
    if floor is None:
        return []
    earned = Cast("extra", FloatField()) + Cast("given_up", FloatField()) + Value(float(batch.reward))
    short = ExpressionWrapper(
        Value(float(floor)) * F("seconds") - earned * Value(float(HOUR_S)), output_field=FloatField()
    )
    order = ("-short", "pk")
    found_first = (
        _with_bonuses(_approved(batch).order_by().values("pk"), floor=floor)
        .filter(seconds__gt=0, is_read=True, topped=0)
        .annotate(short=short)
        .filter(short__gt=0.5)  # floats are noisy; a cent is 36 of these
        .order_by(*order)
        .values("pk")[:most]
    )
    # Everything else is read for these alone.
    rows = (
        _with_bonuses(Assignment.objects.filter(pk__in=found_first), floor=floor)
        .annotate(short=short, revisions=Max("bonuses__revision", filter=Q(bonuses__rule=TOP_UP)))
        .select_related("worker", "hit__batch__study", "hit__batch__account")
        .order_by(*order)
    )
    found = (_top_up(row, batch=batch, floor=floor) for row in rows)
    return [top_up for top_up in found if top_up.amount]


def top_ups_made(batch: Batch) -> QuerySet[Bonus]:
    return Bonus.objects.filter(assignment__hit__batch=batch, rule=TOP_UP)


def _top_up(row: Any, *, batch: Batch, floor: Decimal) -> TopUp:
    earned = batch.reward + round_to_cents(row.extra)
    return TopUp(
        assignment=row,
        seconds=row.seconds,
        is_active_time=bool(row.active_s) and row.active_s == row.seconds,
        earned=earned,
        amount=lacking(earned=earned + round_to_cents(row.given_up), seconds=row.seconds, floor=floor),
        revision=0 if row.revisions is None else row.revisions + 1,
    )


def _approved(batch: Batch) -> QuerySet[Any, Any]:
    approved = Assignment.objects.filter(hit__batch=batch, status=Assignment.Status.APPROVED, kept_out=False)
    return approved.exclude(of_the_house())


def _with_bonuses(works: QuerySet[Any, Any], *, floor: Decimal | None) -> QuerySet[Any, Any]:
    """Annotate work with its seconds, its earnings beside the reward, and whether a top-up is possible."""
    given_up, is_top_up = Q(bonuses__status=Bonus.Status.WAIVED), Q(bonuses__rule=TOP_UP)
    reaches_floor = Q(bonuses__figures__floor_cents__gte=cents(floor or NOTHING))
    annotated: QuerySet[Any, Any] = works.annotate(
        seconds=EFFECTIVE_S,
        is_read=ExpressionWrapper(Q(owed_at__isnull=False), output_field=BooleanField()),
        extra=_sum(~given_up),
        given_up=_sum(given_up & is_top_up),
        topped=Count("bonuses", filter=is_top_up & reaches_floor),
    )
    return annotated


def _sum(bonuses: Q) -> Coalesce:
    money = DecimalField(max_digits=13, decimal_places=2)
    return Coalesce(Sum("bonuses__amount", filter=bonuses), Value(NOTHING), output_field=money)

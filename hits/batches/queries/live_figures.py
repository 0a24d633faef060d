"""One batch in numbers, for the page that watches it: few queries, each counted in the database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from hits.batches.queries.work_times import EFFECTIVE_S, of_the_house
from hits.core.domain.wages import hourly_wage, percentile_of_counts
from hits.core.slow_counts import count_slowly
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT, Change
from hits.work.models.leases import Lease

HOUR = timedelta(hours=1)
# Fewer submissions than these are too few for a forecast.
FEWEST = 5
# If the last hour was too quiet, this many submissions before it are looked at.
LATEST = 50
BUCKETS = 48
# A chart's steps: seconds that a clock or a calendar names.
STEPS_S = (15, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_419_200)
BARS = 8
BARS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400)
Status = Assignment.Status


class EpochSeconds(Func):
    """Whole seconds since 1970 of an instant, in the function of SQLite or PostgreSQL."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(strftime('%%%%s', %(expressions)s) AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "FLOOR(EXTRACT(EPOCH FROM %(expressions)s))::bigint"
        return self.as_sql(compiler, connection, template=template, **context)


@dataclass(frozen=True, kw_only=True)
class Posting:
    """Numbers of a batch's HITs and of the places on them."""

    hits: int
    withdrawn: int
    sent: int
    open: int
    closed: int
    # Open, and their time to start is not over.
    startable: int
    in_trouble: int
    held_back: int
    places: int
    # Places of HITs that somebody can still start, sent or not.
    places_startable: int
    first_sent_at: datetime | None
    last_closed_at: datetime | None

    @property
    def intended(self) -> int:
        return self.hits - self.withdrawn

    @property
    def unsent(self) -> int:
        return self.intended - self.sent


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Number of assignments that took from `start_s` up to `end_s` seconds; None means no upper bound."""

    start_s: int
    end_s: int | None
    count: int


@dataclass(frozen=True, kw_only=True)
class Times:
    """How long submitted work took, and what that pays by the hour."""

    measured: int
    median_s: float | None
    median_hourly: Decimal | None
    # Nine of ten workers earn at least this by the hour.
    tenth_hourly: Decimal | None
    bars: Sequence[Bar]


@dataclass(frozen=True, kw_only=True)
class Work:
    """A batch's assignments, counted by what became of them."""

    in_progress: int
    saved: int
    returned: int
    abandoned: int
    submitted: int
    waiting: int
    approved: int
    rejected: int
    kept_out: int
    # Submitted on HITs that somebody can still start.
    submitted_startable: int
    last_hour: int
    # (end of the step, submissions until then), from the first step to the last.
    over_time: Sequence[tuple[datetime, int]]


@dataclass(frozen=True, kw_only=True)
class Live:
    posting: Posting
    work: Work
    times: Times
    # None: not enough yet to tell.
    an_hour: float | None
    # When the work and its times were counted, if that was earlier: they are slow to count in a large batch.
    counted_at: datetime | None

    @property
    def left(self) -> int:
        """Number of places that workers can still fill."""
        return max(0, self.posting.places_startable - self.work.submitted_startable)

    @property
    def left_s(self) -> int | None:
        return round(self.left * 3600 / self.an_hour) if self.an_hour else None


def with_changes(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    """Annotate each batch with numbers: changes of HITs on their way and refused, HITs that ended early."""
    return batches.annotate(
        changes_waiting=_changes(Change.Status.INTENDED),
        changes_refused=_changes(Change.Status.REFUSED),
        ended_early=_ended_early(),
    )


def live_figures(batch: Batch, *, now: datetime) -> Live:
    posting = posting_of(batch, now=now)
    start, end = span_of(batch, posting=posting, now=now)

    def count() -> tuple[Work, Times]:
        return work_of(batch, start=start, end=end, now=now), times_of(batch)

    counted = count_slowly(f"live:{batch.pk}", count, now=now)
    work, times = counted.figures
    return Live(
        posting=posting,
        work=work,
        times=times,
        an_hour=pace_of(work, start=start, now=counted.at),
        counted_at=counted.at if counted.at < now else None,
    )


def posting_of(batch: Batch, *, now: datetime) -> Posting:
    sent, withdrawn = ~Q(external_id=""), Q(status=HIT.Status.WITHDRAWN)
    startable = Q(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN))
    on_time = Q(expires_at=None) | Q(expires_at__gt=now)
    beyond_pilot = Q(status=HIT.Status.INTENDED, number__gt=batch.pilot_hits)
    counted = HIT.objects.filter(batch=batch).aggregate(
        hits=Count("pk"),
        withdrawn=Count("pk", filter=withdrawn),
        sent=Count("pk", filter=sent),
        open=Count("pk", filter=Q(status=HIT.Status.OPEN)),
        closed=Count("pk", filter=Q(status=HIT.Status.CLOSED)),
        startable=Count("pk", filter=Q(status=HIT.Status.OPEN) & on_time),
        in_trouble=Count("pk", filter=~Q(problem="")),
        held_back=Count("pk", filter=beyond_pilot),
        places=Coalesce(Sum("max_assignments", filter=~withdrawn), 0),
        places_startable=Coalesce(Sum("max_assignments", filter=startable), 0),
        first_sent_at=Min("sent_at"),
        last_closed_at=Max("closed_at"),
    )
    is_held_back = batch.pilot_hits and batch.pilot_released_at is None
    return Posting(**{**counted, "held_back": counted["held_back"] if is_held_back else 0})


def span_of(batch: Batch, *, posting: Posting, now: datetime) -> tuple[datetime, datetime]:
    """Span of the chart over time: from the first HIT sent until the last one closed, or until now."""
    start = posting.first_sent_at or batch.launched_at or now
    over = batch.status in (Batch.Status.COMPLETE, Batch.Status.CANCELLED) and posting.last_closed_at
    return start, max(start, over or now)


def work_of(batch: Batch, *, start: datetime, end: datetime, now: datetime) -> Work:
    """Count work in one query with a row for each state and time step, not for each assignment."""
    step_s = next((step for step in STEPS_S if (end - start).total_seconds() <= BUCKETS * step), STEPS_S[-1])
    released_late = Lease.objects.filter(assignment=OuterRef("pk"), ended_at__gte=OuterRef("deadline_at"))
    rows: list[Any] = list(
        Assignment.objects.filter(hit__batch=batch)
        .values(
            "status",
            "kept_out",
            "hit__status",
            step=EpochSeconds("submitted_at") / Value(step_s),
        )
        .annotate(
            n=Count("pk"),
            recent=Count("pk", filter=Q(submitted_at__gt=now - HOUR)),
            # The provider calls it abandoned when the time ran out, and returned when it was given back.
            # A database stops at the first condition that is not met: the one of the row itself comes first.
            abandoned=Count("pk", filter=Q(status=Status.GONE) & Q(Exists(released_late))),
        )
        .order_by()
    )
    handed_in = [row for row in rows if row["step"] is not None]

    abandoned = sum(row["abandoned"] for row in rows)

    def count(**wanted: object) -> int:
        return sum(row["n"] for row in rows if all(row[name] == value for name, value in wanted.items()))

    return Work(
        in_progress=count(status=Status.OPENED),
        saved=count(status=Status.SAVED),
        returned=count(status=Status.GONE) - abandoned,
        abandoned=abandoned,
        submitted=sum(row["n"] for row in handed_in),
        waiting=count(status=Status.SUBMITTED),
        approved=count(status=Status.APPROVED),
        rejected=count(status=Status.REJECTED),
        kept_out=count(kept_out=True),
        submitted_startable=sum(row["n"] for row in handed_in if row["hit__status"] == HIT.Status.OPEN),
        last_hour=sum(row["recent"] for row in handed_in),
        over_time=_cumulate(handed_in, step_s=step_s, start=start, end=end),
    )


def times_of(batch: Batch) -> Times:
    """Times of submitted work, in one query with a row for each different time, whatever the batch's size."""
    done = Assignment.objects.filter(hit__batch=batch, submitted_at__isnull=False).exclude(of_the_house())
    known = done.annotate(seconds=EFFECTIVE_S).filter(seconds__isnull=False)
    counted = dict(known.values_list("seconds").annotate(n=Count("pk")).order_by("seconds"))
    median_s, slow_s = percentile_of_counts(counted, 0.5), percentile_of_counts(counted, 0.9)
    return Times(
        measured=sum(counted.values()),
        median_s=median_s,
        median_hourly=_hourly(batch, median_s),
        tenth_hourly=_hourly(batch, slow_s),
        bars=_bars(counted, slow_s=slow_s),
    )


def pace_of(work: Work, *, start: datetime, now: datetime) -> float | None:
    """Submissions an hour: over the last hour, or over the last fifty if that hour was quiet."""
    if work.last_hour >= FEWEST:
        return work.last_hour / max(min(HOUR, now - start) / HOUR, 1 / 60)
    if work.submitted < FEWEST:
        return None
    wanted = max(work.submitted - LATEST, 0)
    since = max((at for at, total in work.over_time if total <= wanted), default=start)
    done = work.submitted - max((total for at, total in work.over_time if at <= since), default=0)
    return done / max((now - since) / HOUR, 1 / 60)


def _cumulate(
    rows: Sequence[Mapping[str, Any]], *, step_s: int, start: datetime, end: datetime
) -> list[tuple[datetime, int]]:
    """Running totals by step, including work submitted before the first step or after the last one."""
    added = Counter[int]()
    for row in rows:
        added[row["step"]] += row["n"]
    first, last = int(start.timestamp()) // step_s, int(end.timestamp()) // step_s
    first, last = min([first, *added]), max([last, *added])
    steps = range(first, last + 1) if last - first <= 2 * BUCKETS else sorted({first, *added, last})
    total, points = 0, []
    for step in steps:
        total += added[step]
        points.append((datetime.fromtimestamp((step + 1) * step_s, UTC), total))
    return points


def _bars(counted: Mapping[int, int], *, slow_s: float | None) -> list[Bar]:
    """Even bars up to a little beyond the 90th percentile; the last one holds the rest."""
    if slow_s is None:
        return []
    width = next((width for width in BARS_S if slow_s < width * (BARS - 1)), BARS_S[-1])
    sizes = Counter[int]()
    for seconds, n in counted.items():
        sizes[min(seconds // width, BARS - 1)] += n
    return [
        Bar(start_s=i * width, end_s=(i + 1) * width if i < BARS - 1 else None, count=sizes[i])
        for i in range(max(sizes) + 1)
    ]


def _hourly(batch: Batch, seconds: float | None) -> Decimal | None:
    return None if seconds is None else hourly_wage(reward=batch.reward, seconds=seconds)


def _ended_early() -> Coalesce:
    of_batch = EarlyEnd.objects.in_force().filter(hit__batch=OuterRef("pk")).order_by()
    counted = of_batch.values(batch=F("hit__batch")).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _changes(status: Change.Status) -> Coalesce:
    of_batch = Change.objects.filter(hit__batch=OuterRef("pk"), status=status).order_by()
    counted = of_batch.values(batch=F("hit__batch")).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)

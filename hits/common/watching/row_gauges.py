"""Gauges: what rows say at the moment in which somebody asks. Nothing is counted before.

The module `gauges` of each app registers its readers, and is loaded when somebody asks for the first time.
A reader makes few queries, by an index, over what waits: its cost must not grow with what is done.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from django.db import DatabaseError
from django.db.models import Count, Min, Model, QuerySet
from django.utils.module_loading import autodiscover_modules

log = structlog.get_logger()
Values = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Gauge:
    name: str
    words: str
    labels: tuple[str, ...] = ()

    def at(self, number: object, *values: str) -> "Reading":
        return Reading(gauge=self, values=values, number=float(str(number)))


@dataclass(frozen=True, kw_only=True)
class Reading:
    gauge: Gauge
    values: Values
    number: float


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Everything that was read at one moment."""

    found: Mapping[Gauge, Mapping[Values, float]] = field(default_factory=dict)

    def of(self, name: str) -> Mapping[Values, float]:
        """Return the numbers of one gauge by its labels; empty if nobody could tell."""
        return next((numbers for gauge, numbers in self.found.items() if gauge.name == name), {})


WAITING = Gauge(
    name="crowd_queue_waiting", words="What waits in rows to be done, by queue.", labels=("queue",)
)
OLDEST = Gauge(
    name="crowd_queue_oldest_seconds",
    words="Age of what has waited longest in a queue; 0 if nothing waits, or only for later.",
    labels=("queue",),
)
Reader = Callable[[datetime], Iterator[Reading]]
_readers: dict[str, Reader] = {}
FAILED = Gauge(
    name="crowd_reading_failed",
    words="1 for each reader of gauges that failed, and so tells nothing: its database does not answer.",
    labels=("reader",),
)


def reads_gauges(name: str) -> Callable[[Reader], Reader]:
    """Register a reader, whose name stands in the gauge of what failed."""

    def register(reader: Reader) -> Reader:
        _readers[name] = reader
        return reader

    return register


def read_gauges(*, now: datetime) -> Readings:
    """Read all gauges. A reader that finds no database keeps no other from its own."""
    autodiscover_modules("gauges")
    found: defaultdict[Gauge, dict[Values, float]] = defaultdict(dict)
    for name, reader in _readers.items():
        try:
            readings = list(reader(now))
        except DatabaseError as error:
            log.warning("gauges.not_read", reader=name, error=type(error).__name__)
            readings = [FAILED.at(1, name)]
        for one in readings:
            found[one.gauge][one.values] = one.number
    return Readings(found=found)


def read_queue(name: str, rows: QuerySet[Model], *, since: str, now: datetime) -> Iterator[Reading]:
    """Read how many rows wait, and how long the first of them, which must be found by an index."""
    told = rows.order_by().aggregate(waiting=Count("pk"), first=Min(since))
    yield WAITING.at(told["waiting"], name)
    yield OLDEST.at(seconds_since(told["first"], now=now), name)


def seconds_since(instant: datetime | None, *, now: datetime) -> float:
    """Return the age of what waits longest; 0 if nothing waits, or only for later."""
    return max(0.0, (now - instant).total_seconds()) if instant else 0.0

"""Timings: how often something happens and how long it takes, kept by whoever is connected.

A room declares what it times, and the wiring decides where that is kept. Where nobody keeps it, taking one
costs one comparison.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

_keep: "Keep | None" = None


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Times of one kind of event. Values of labels come from code, never from people or rows."""

    name: str
    words: str
    labels: tuple[str, ...] = ()
    # Upper bounds in seconds; without any, only number and sum are kept.
    buckets: tuple[float, ...] = ()

    def take(self, seconds: float, *values: str) -> None:
        if _keep is not None:
            _keep(self, seconds, values)


Keep = Callable[[Timing, float, Sequence[str]], None]


@dataclass
class Outcome:
    """How something ended, for whoever times it: failed, unless somebody says otherwise."""

    value: str = "failed"


@contextmanager
def timed(timing: Timing, *values: str) -> Iterator[Outcome]:
    """Timing the block; the outcome that it leaves is the last label."""
    began, outcome = perf_counter(), Outcome()
    try:
        yield outcome
    finally:
        timing.take(perf_counter() - began, *values, outcome.value)


def keep_by(keep: Keep | None) -> None:
    """Connect whoever keeps the timings of this process; None for nobody."""
    global _keep  # noqa: PLW0603 - one for the whole process
    _keep = keep

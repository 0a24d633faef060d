"""Figures that take long to count: counted at most once in ten times as long, for all processes together.

They are in Django's cache, with the moment of their count for the page to show. Nothing that decides on money
may come from here.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from django.core.cache import cache

Figures = TypeVar("Figures")
# What takes less is counted each time.
SLOW_S = 0.5
# How many times as long as their count took the figures stay, and how long at the most.
TIMES, MOST_S = 10, 300


@dataclass(frozen=True, kw_only=True)
class Counted(Generic[Figures]):
    figures: Figures
    at: datetime
    took_s: float

    @property
    def until(self) -> datetime:
        return self.at + timedelta(seconds=min(TIMES * self.took_s, MOST_S))


def count_slowly(name: str, count: Callable[[], Figures], *, now: datetime) -> Counted[Figures]:
    """Return the figures of this name, counted now if they are too old and nobody else is counting them."""
    last: Counted[Figures] | None = cache.get(name)
    if last and (now < last.until or not _is_first(name, last)):
        return last
    began = time.monotonic()
    figures = count()
    counted = Counted(figures=figures, at=now, took_s=time.monotonic() - began)
    if last or counted.took_s >= SLOW_S:
        cache.set(name, counted, timeout=2 * MOST_S)
    return counted


def _is_first(name: str, last: Counted[Figures]) -> bool:
    """Whether no other process counts these figures already: a second count would take them all longer."""
    return cache.add(f"{name}:after:{last.at.timestamp()}", 1, timeout=2 * last.took_s + 1)

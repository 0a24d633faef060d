from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings

from hits.core.slow_counts import count_slowly
from tests.caches import AWAY
from tests.factories import NOW

SECOND = timedelta(seconds=1)


class Counter:
    """Figures that grow with each count, on a clock that says how long the count takes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, takes_s: float) -> None:
        self.counts, self.clock, self.takes_s, self.name = 0, 0.0, takes_s, uuid4().hex
        monkeypatch.setattr("hits.core.slow_counts.time.monotonic", lambda: self.clock)

    def count(self) -> int:
        self.counts, self.clock = self.counts + 1, self.clock + self.takes_s
        return self.counts

    def ask(self, after: timedelta) -> int:
        return count_slowly(self.name, self.count, now=NOW + after).figures


def test_slow_figures_are_counted_once_in_ten_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch, takes_s=2)

    assert [counter.ask(seconds * SECOND) for seconds in (0, 1, 19, 20, 39, 40)] == [1, 1, 1, 2, 2, 3]


def test_quick_figures_are_counted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch, takes_s=0.4)

    assert [counter.ask(timedelta()) for _ in range(3)] == [1, 2, 3]


def test_nobody_counts_beside_somebody_who_does(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch, takes_s=2)
    counter.ask(timedelta())
    beside = []

    def count() -> int:
        beside.append(counter.ask(30 * SECOND))
        return counter.count()

    counted = count_slowly(counter.name, count, now=NOW + 30 * SECOND)

    assert (counted.figures, counted.at, beside) == (2, NOW + 30 * SECOND, [1])


def test_figures_are_counted_while_redis_is_away(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = AWAY
    counter = Counter(monkeypatch, takes_s=2)

    assert [counter.ask(seconds * SECOND) for seconds in (0, 1)] == [1, 1]

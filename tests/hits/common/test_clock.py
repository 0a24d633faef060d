"""Sweeps go by the database's clock, whatever the clock of their machine says."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from hits.common import clock
from hits.common.sweeps import SWEEPS, run, sweep
from hits.common.wake import run as run_and_tell

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_ahead", timedelta(0))
    monkeypatch.setattr(clock, "_compared", float("-inf"))


@pytest.fixture
def seen() -> Iterator[list[timedelta]]:
    """Add a sweep that notes by how much its time differs from the machine's."""
    times: list[timedelta] = []
    sweep("tests.clock", rest_s=1, due_at=lambda *, now: now + HOUR)(
        lambda: times.append(clock.now() - timezone.now())
    )
    yield times
    del SWEEPS["tests.clock"]


def test_machine_and_database_are_alike_here() -> None:
    assert abs(clock.database_ahead()) < clock.ALIKE


def test_a_sweep_on_a_machine_that_is_an_hour_ahead_goes_by_the_database(
    seen: list[timedelta], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "database_ahead", lambda: -HOUR)

    run_and_tell("tests.clock")

    assert abs(seen[0] + HOUR) < timedelta(seconds=1)


def test_the_way_to_the_database_is_no_difference(
    seen: list[timedelta], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "database_ahead", lambda: timedelta(milliseconds=300))

    run_and_tell("tests.clock")

    assert abs(seen[0]) < timedelta(milliseconds=100)


def test_the_clocks_are_compared_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask() -> timedelta:
        asked.append("the database")
        return timedelta(0)

    monkeypatch.setattr(clock, "database_ahead", ask)
    for _ in range(5):
        clock.compare()

    assert len(asked) == 1


def test_a_database_that_is_away_fails_no_sweep_of_another_one(
    seen: list[timedelta], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> timedelta:
        raise OperationalError

    monkeypatch.setattr(clock, "database_ahead", away)

    run_and_tell("tests.clock")

    assert len(seen) == 1


def test_an_instant_is_told_as_a_wait(seen: list[timedelta]) -> None:
    """The process that decides when to run the sweep may have another clock."""
    assert run("tests.clock").due_in == HOUR.total_seconds()

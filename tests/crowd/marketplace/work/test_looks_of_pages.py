from datetime import UTC, datetime, timedelta

import pytest

from crowd.marketplace.services import work

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Instants at which a page has looked for what is due."""
    seen: list[datetime] = []
    monkeypatch.setattr(work, "LOOK_EVERY", timedelta(seconds=1))
    monkeypatch.setattr(work, "settle", lambda *, now: seen.append(now))
    monkeypatch.setattr(work, "_last_look", work._Look())
    return seen


def test_pages_of_one_second_look_once(looks: list[datetime]) -> None:
    instants = [NOON + timedelta(milliseconds=step) for step in (0, 400, 999, 1000, 1500, 2000)]

    for instant in instants:
        work.settle_unless_just_done(now=instant)

    assert looks == [NOON, NOON + timedelta(seconds=1), NOON + timedelta(seconds=2)]


def test_clock_that_was_turned_back_holds_up_no_look(looks: list[datetime]) -> None:
    for instant in (NOON, NOON - timedelta(hours=1)):
        work.settle_unless_just_done(now=instant)

    assert looks == [NOON, NOON - timedelta(hours=1)]

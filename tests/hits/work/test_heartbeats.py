"""Active time: counted from heartbeats by the server's clock, and never more than has passed on it."""

from collections import Counter
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.batches.queries.live_figures import times_of
from hits.batches.queries.tally import seconds_worked
from hits.core.errors import RuleBroken
from hits.work.domain import CountedTime, count_beat, effective_seconds
from hits.work.models.assignments import Assignment
from hits.work.services.heartbeats import count_activity
from hits.work.services.leasing import save_answer
from tests.factories import NOW, make_assignment, make_hit

# A stretch of time between two beats, in milliseconds: fast, as the page sends them, late, and after a pause.
GAPS = st.lists(st.integers(0, 200_000) | st.integers(0, 20_000), max_size=40)
ANSWER = {"item": ["a"]}


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def beat(assignment: Assignment, *seconds: float) -> tuple[int | None, datetime | None]:
    """Count heartbeats as requests do, each of which reads the row again."""
    for at in seconds:
        count_activity(assignment=Assignment.objects.get(pk=assignment.pk), now=after(at))
    found = Assignment.objects.get(pk=assignment.pk)
    return found.active_s, found.beat_at


@pytest.mark.django_db
def test_the_first_beat_starts_and_the_next_count() -> None:
    work = make_assignment()

    found = [beat(work, at)[0] for at in (3, 18, 33, 48)]

    assert found == [0, 15, 30, 45]


@pytest.mark.django_db
def test_parts_of_a_second_count_with_the_next_beat() -> None:
    work = make_assignment()

    assert beat(work, 0, 15.6, 31.2, 46.8) == (46, after(46))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("gap", "counted"), [(29, 29), (30, 30), (31, 30), (60, 30), (61, 0), (3000, 0)], ids=str
)
def test_a_late_beat_earns_little_and_one_after_a_pause_nothing(gap: int, counted: int) -> None:
    work = make_assignment(deadline_at=after(10_000))

    assert beat(work, 0, gap) == (counted, after(gap))


@pytest.mark.django_db
def test_beats_in_haste_write_nothing_and_earn_no_more_than_has_passed() -> None:
    work = make_assignment()

    found = [beat(work, *(0.1 * number for number in range(49))), beat(work, 20)]

    assert found == [(0, NOW), (20, after(20))]


@pytest.mark.django_db
def test_two_tabs_that_saw_the_same_beat_count_it_once() -> None:
    work = make_assignment()
    beat(work, 0)
    one, other = (Assignment.objects.get(pk=work.pk) for _ in range(2))

    counted = [count_activity(assignment=tab, now=after(15)) for tab in (one, other)]

    assert counted == [True, False]
    assert beat(work) == (15, after(15))


@pytest.mark.django_db
def test_a_clock_that_was_set_back_starts_anew_and_takes_nothing_away() -> None:
    work = make_assignment()

    found = [beat(work, 0, 30), beat(work, 10), beat(work, 25)]

    # After the clock was set back it shows 25 seconds since the page was opened: no more is added now.
    assert found == [(30, after(30)), (30, after(10)), (30, after(25))]


@pytest.mark.django_db
def test_a_clock_that_was_set_forward_earns_nothing() -> None:
    work = make_assignment(deadline_at=after(100_000))

    assert beat(work, 0, 15, 86_400, 86_415) == (30, after(86_415))


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["saved", "submitted", "approved", "rejected", "gone"])
def test_nothing_counts_once_the_work_is_no_longer_open(status: str) -> None:
    work = make_assignment(status=status, answer=ANSWER, active_s=15, beat_at=NOW)

    assert beat(work, 15) == (15, NOW)


@pytest.mark.django_db
def test_nothing_counts_from_the_deadline_on() -> None:
    work = make_assignment(deadline_at=after(30))

    assert beat(work, 0, 15, 30, 45) == (15, after(15))


@pytest.mark.django_db
def test_a_beat_is_one_update(django_assert_num_queries: object) -> None:
    work = make_assignment(active_s=15, beat_at=NOW)

    with django_assert_num_queries(1):  # type: ignore[operator]
        count_activity(assignment=work, now=after(15))


@pytest.mark.django_db
def test_saving_counts_the_last_stretch() -> None:
    work = make_assignment(active_s=45, beat_at=after(45))

    save_answer(assignment=work, answer=ANSWER, now=after(53))

    assert (beat(work)[0], Assignment.objects.get().status) == (53, "saved")


@pytest.mark.django_db
def test_a_page_without_scripts_has_no_active_time() -> None:
    work = make_assignment()

    save_answer(assignment=work, answer=ANSWER, now=after(60))

    assert beat(work) == (None, None)


@pytest.mark.django_db
def test_a_second_answer_counts_nothing() -> None:
    work = make_assignment(active_s=45, beat_at=after(45))
    tab = Assignment.objects.get(pk=work.pk)
    save_answer(assignment=work, answer=ANSWER, now=after(53))

    with pytest.raises(RuleBroken, match="saved already"):
        save_answer(assignment=tab, answer=ANSWER, now=after(60))

    assert beat(work) == (53, after(53))


@given(gaps=GAPS)
def test_never_more_than_has_passed_whatever_the_beats(gaps: list[int]) -> None:
    now = NOW
    counted: CountedTime | None = None
    first: datetime | None = None
    for gap in gaps:
        now += timedelta(milliseconds=gap)
        first = first or now
        before = counted
        counted = count_beat(before, opened_at=NOW, now=now) or counted
        assert counted is not None
        assert before is None or counted.active_s >= before.active_s
        assert counted.beat_at <= now

    if counted and first:
        assert counted.active_s <= (now - first) / timedelta(seconds=1)


@given(jumps=st.lists(st.integers(-100_000, 100_000), max_size=40))
def test_never_more_than_since_the_opening_even_if_the_clock_jumps(jumps: list[int]) -> None:
    now, latest = NOW, NOW
    counted: CountedTime | None = None
    for jump in jumps:
        now = max(NOW, now + timedelta(milliseconds=jump))
        latest = max(now, latest)
        counted = count_beat(counted, opened_at=NOW, now=now) or counted

    assert counted is None or counted.active_s <= (latest - NOW) / timedelta(seconds=1)


@given(beats=st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 2), st.booleans()), max_size=40))
def test_several_tabs_earn_no_more_than_one(beats: list[tuple[int, int, bool]]) -> None:
    """Some tabs act on the row as it was read a while ago: compare and swap lets none of those through."""
    now = NOW
    row: CountedTime | None = None
    seen: dict[int, CountedTime | None] = {}
    for gap, tab, reads in beats:
        now += timedelta(milliseconds=gap)
        if reads or tab not in seen:
            seen[tab] = row
        counted = count_beat(seen[tab], opened_at=NOW, now=now)
        if counted and seen[tab] == row:
            row = counted

    assert row is None or row.active_s <= (now - NOW) / timedelta(seconds=1)


TIMES = [
    (None, None, None),
    (None, 60, 60),
    (40, 60, 40),
    (70, 60, 60),
    (0, 60, 60),
    (40, None, 40),
    (0, None, None),
    (0, 0, 0),
]


@pytest.mark.parametrize(("active_s", "worked_s", "seconds"), TIMES, ids=str)
def test_effective_seconds(active_s: int | None, worked_s: int | None, seconds: int | None) -> None:
    assert effective_seconds(active_s=active_s, worked_s=worked_s) == seconds


@pytest.mark.django_db
def test_the_database_counts_the_same_seconds() -> None:
    hit = make_hit()
    for active_s, worked_s, _ in TIMES:
        make_assignment(hit=hit, status="submitted", active_s=active_s, worked_s=worked_s)

    known = sorted(seconds for _, _, seconds in TIMES if seconds is not None)
    assert seconds_worked(hit.batch) == Counter(known)
    assert times_of(hit.batch).measured == len(known)

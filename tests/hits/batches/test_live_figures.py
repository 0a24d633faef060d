"""The figures of a batch, as its live page counts them."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.admin.batches import batch_charts
from hits.batches.queries.live_figures import Bar, live_figures, pace_of, with_changes
from hits.core import slow_counts
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def make_running(**changes: Any) -> Batch:
    return make_batch(status="open", **changes)


def make_work(hit: HIT, *, minutes: int = 0, worked_s: int = 48, **changes: Any) -> Assignment:
    """Make work that was submitted so many minutes ago."""
    at = NOW - minutes * MINUTE
    values = {"status": "submitted", "submitted_at": at, "worked_s": worked_s, **changes}
    return make_assignment(hit=hit, **values)


def give_back(assignment: Assignment, *, after: timedelta) -> None:
    """Release the assignment's item so long after its deadline; a negative time is before it."""
    item = Item.objects.create(study=assignment.hit.batch.study, task="t", wanted=0)
    Lease.objects.create(
        item=item,
        assignment=assignment,
        worker=assignment.worker,
        status=Lease.Status.RELEASED,
        leased_at=NOW,
        ended_at=assignment.deadline_at + after,
    )


def test_every_hit_is_counted_by_what_became_of_it() -> None:
    batch = make_running(pilot_hits=3)
    make_hit(batch=batch, number=1, max_assignments=3)
    make_hit(batch=batch, number=2, max_assignments=2, status="closed")
    make_hit(batch=batch, number=3, status="withdrawn", external_id="", sent_at=None)
    make_hit(batch=batch, number=4, max_assignments=5, status="intended", external_id="", sent_at=None)
    make_hit()

    posting = live_figures(batch, now=NOW).posting

    assert (posting.intended, posting.sent, posting.unsent) == (3, 2, 1)
    assert (posting.open, posting.closed, posting.withdrawn, posting.held_back) == (1, 1, 1, 1)
    assert (posting.places, posting.places_startable) == (10, 8)


def test_nothing_is_held_back_once_the_pilot_is_released() -> None:
    batch = make_running(pilot_hits=1, pilot_released_at=NOW)
    make_hit(batch=batch, number=2, status="intended", external_id="", sent_at=None)

    assert live_figures(batch, now=NOW).posting.held_back == 0


def test_every_assignment_is_counted_by_what_became_of_it() -> None:
    hit = make_hit(max_assignments=9)
    make_assignment(hit=hit)
    make_assignment(hit=hit, status="saved", answer={})
    for status in ("submitted", "approved", "rejected"):
        make_work(hit, status=status)
    make_work(hit, status="approved", kept_out=True)
    for after in (-MINUTE, MINUTE, MINUTE):
        give_back(make_assignment(hit=hit, status="gone"), after=after)
    make_assignment(hit=hit, status="gone")

    work = live_figures(hit.batch, now=NOW).work

    assert (work.in_progress, work.saved, work.returned, work.abandoned) == (1, 1, 2, 2)
    assert (work.submitted, work.waiting, work.approved, work.rejected, work.kept_out) == (4, 1, 2, 1, 1)


def test_submissions_over_time_add_up_to_all_of_them() -> None:
    batch = make_running(launched_at=NOW - 40 * MINUTE)
    hit = make_hit(batch=batch, sent_at=NOW - 40 * MINUTE, max_assignments=9)
    for minutes in (30, 30, 10, 0):
        make_work(hit, minutes=minutes)

    points = live_figures(batch, now=NOW).work.over_time

    totals = dict(points)
    assert [total for _, total in points] == sorted(totals.values())
    assert totals[NOW - 30 * MINUTE] == 0
    assert totals[NOW - 29 * MINUTE] == 2
    assert points[-1] == (NOW + MINUTE, 4)


def test_slow_figures_of_work_are_kept_for_a_while_and_those_of_hits_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_counts, "SLOW_S", 0)
    monkeypatch.setattr(slow_counts, "TIMES", 1_000_000)
    hit = make_hit(batch=make_running(), status="open")
    first = live_figures(hit.batch, now=NOW)
    make_assignment(hit=hit, status="submitted")
    make_hit(batch=hit.batch, status="open")

    later = live_figures(hit.batch, now=NOW + timedelta(seconds=1))

    assert (first.counted_at, later.counted_at) == (None, NOW)
    assert (later.work, later.posting.hits) == (first.work, first.posting.hits + 1)
    assert live_figures(hit.batch, now=NOW + timedelta(hours=1)).work.submitted == first.work.submitted + 1


def test_submissions_before_the_first_hit_was_sent_are_counted_too() -> None:
    """The clocks of two machines never agree wholly."""
    hit = make_hit()
    make_work(hit, minutes=5)

    points = live_figures(hit.batch, now=NOW).work.over_time

    assert points[-1][1] == 1


def test_wages_are_those_of_the_middle_and_of_the_slow_tenth() -> None:
    batch = make_running(reward=Decimal("0.10"))
    hit = make_hit(batch=batch, max_assignments=20)
    for seconds in (30, 60, 60, 60, 60, 60, 60, 60, 60, 120, 120):
        make_work(hit, worked_s=seconds)
    make_assignment(hit=hit, worked_s=5)

    times = live_figures(batch, now=NOW).times

    assert (times.measured, times.median_s) == (11, 60)
    assert (times.median_hourly, times.tenth_hourly) == (Decimal("6.00"), Decimal("3.00"))
    assert sum(bar.count for bar in times.bars) == 11


def test_wages_are_unknown_without_times() -> None:
    times = live_figures(make_running(), now=NOW).times

    assert (times.median_s, times.median_hourly, times.tenth_hourly, times.bars) == (None, None, None, [])


def test_the_last_bar_holds_whatever_took_longer() -> None:
    hit = make_hit(max_assignments=20)
    for seconds in (*range(40, 59), 7200):
        make_work(hit, worked_s=seconds)

    bars = live_figures(hit.batch, now=NOW).times.bars

    assert bars[-1] == Bar(start_s=70, end_s=None, count=1)


def test_time_to_finish_follows_the_last_hour() -> None:
    batch = make_running()
    hit = make_hit(batch=batch, sent_at=NOW - timedelta(hours=5), max_assignments=20)
    for minutes in (5, 15, 25, 35, 45, 55, 120, 180):
        make_work(hit, minutes=minutes)

    live = live_figures(batch, now=NOW)

    assert (live.an_hour, live.left, live.left_s) == (6, 12, 2 * 3600)


def test_time_to_finish_is_unknown_after_a_few_submissions() -> None:
    hit = make_hit(max_assignments=20)
    for _ in range(4):
        make_work(hit)

    live = live_figures(hit.batch, now=NOW)

    assert (live.left, live.left_s) == (16, None)


def test_time_to_finish_after_a_quiet_hour_counts_the_quiet() -> None:
    batch = make_running()
    hit = make_hit(batch=batch, sent_at=NOW - timedelta(hours=10), max_assignments=40)
    for _ in range(20):
        make_work(hit, minutes=300)

    an_hour = live_figures(batch, now=NOW).an_hour

    assert an_hour is not None
    assert 2 <= an_hour <= 4


def test_places_of_closed_hits_are_not_waited_for() -> None:
    batch = make_running()
    over, open_hit = make_hit(batch=batch, status="closed"), make_hit(batch=batch)
    make_work(over)
    make_work(open_hit)

    assert live_figures(batch, now=NOW).left == 2


def test_pace_of_a_batch_that_has_just_begun_is_not_beyond_reason() -> None:
    hit = make_hit(sent_at=NOW, max_assignments=9)
    for _ in range(6):
        make_work(hit)

    work = live_figures(hit.batch, now=NOW).work

    assert pace_of(work, start=NOW, now=NOW) == 360


def test_changes_are_counted_beside_their_batch() -> None:
    hit = make_hit()
    Change.objects.create(hit=hit, kind="expire", made_at=NOW)
    Change.objects.create(hit=hit, kind="add", places=1, status="refused", made_at=NOW, by=make_user())
    Change.objects.create(hit=make_hit(), kind="expire", made_at=NOW)

    batch: Any = with_changes(Batch.objects.filter(pk=hit.batch_id)).get()

    assert (batch.changes_waiting, batch.changes_refused) == (1, 1)


def test_figures_of_a_large_batch_take_as_many_queries_as_of_a_small_one() -> None:
    counts = []
    for size in (3, 30):
        batch = make_running(study=make_study())
        for _ in range(size):
            make_work(make_hit(batch=batch))
        with CaptureQueriesContext(connection) as queries:
            live_figures(batch, now=NOW)
        counts.append(len(queries))

    assert counts == [3, 3]


def test_line_of_submissions_ends_at_their_number() -> None:
    points = [(NOW + n * MINUTE, 10 * n) for n in range(4)]

    line = batch_charts.draw_submissions(points, places=60)

    assert line is not None
    assert (line.path, line.end_y) == ("M44 176H159V153H273V129H388V106", 106)
    assert line.rows == points


@pytest.mark.parametrize("places", [0, 3])
def test_more_submissions_than_places_stay_inside_the_picture(places: int) -> None:
    line = batch_charts.draw_submissions([(NOW, 5)], places=places)

    assert line is not None
    assert (line.end_y, line.limit_y >= line.end_y) == (batch_charts.TOP, True)


def test_no_chart_is_drawn_of_nothing() -> None:
    assert batch_charts.draw_submissions([(NOW, 0)], places=3) is None
    assert batch_charts.draw_times([], median_s=None) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "–"), (48, "48 s"), (119.6, "2 min"), (200, "3 min 20 s"), (3600, "1 h"), (7500, "2 h 5 min")],
)
def test_duration_is_short(seconds: float | None, words: str) -> None:
    assert batch_charts.duration(seconds) == words

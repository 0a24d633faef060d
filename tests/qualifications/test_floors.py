"""Later work below a floor revokes what a gate has given, and a re-test counts again."""

from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from qualifications.models import Attempt, Gate, Holding
from qualifications.services import floors
from qualifications.services.floors import check_floors
from qualifications.services.gate_holdings import give, revoke, set_value
from qualifications.services.retests import open_retests
from scoring.models import Score
from tests.factories import NOW, make_assignment, make_user, make_worker
from tests.qualifications.gates import (
    judge,
    make_candidate,
    make_gate,
    make_score,
    make_work_hit,
    sit,
    toys,
    value_of,
)

__all__ = ["toys"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
FLOOR = [{"measure": "right", "below": 60, "last": 3}]
LATER = NOW + timedelta(hours=1)
DAY = timedelta(days=1)
HAIR = Fraction(1, 3000)


def make_floored(**changes: object) -> tuple[Gate, Worker]:
    """Make a gate whose floors are checked from now on, and a worker who holds it."""
    gate, worker = make_gate(floors=FLOOR, **changes), make_worker()
    set_value(gate=gate, worker=worker, value=1, now=NOW)
    check_floors(now=NOW)
    return gate, worker


def work(gate: Gate, worker: Worker, *values: Fraction | int, at: datetime = NOW) -> list[Assignment]:
    hit = make_work_hit(gate, account=worker.account)
    done = [make_assignment(hit=hit, worker=worker, status="approved", opened_at=at) for _ in values]
    for assignment, value in zip(done, values, strict=True):
        make_score(assignment, value)
    return done


@pytest.mark.parametrize(
    ("values", "revoked"),
    [
        ((Fraction(3, 5), Fraction(3, 5), Fraction(3, 5)), False),
        ((Fraction(3, 5), Fraction(3, 5), Fraction(3, 5) - HAIR), True),
        ((Fraction(3, 5), Fraction(3, 5), Fraction(3, 5) + HAIR), False),
        ((0, 0), False),
        ((0, 1, 1, 1), False),
        ((1, 0, 0, 1), True),
    ],
    ids=["at", "a hair below", "a hair above", "too few", "old one forgotten", "latest count"],
)
def test_work_below_the_floor_takes_it_back(values: tuple[Fraction | int, ...], revoked: bool) -> None:
    gate, worker = make_floored()
    work(gate, worker, *values)

    assert check_floors(now=LATER) == int(revoked)
    assert value_of(gate, worker) == (0 if revoked else 1)


def test_what_is_taken_back_says_why_and_the_provider_is_told() -> None:
    gate, worker = make_floored()
    Holding.objects.update(is_told=True)
    work(gate, worker, Fraction(5999, 10000), Fraction(59999, 100000), Fraction(3, 5))

    check_floors(now=LATER)

    held = Holding.objects.get()
    assert held.reason == "Right: your latest 3 answers came to 59.99 % on average, and 60 % is needed."
    assert (held.value, held.revoked_at, held.is_told, held.by) == (0, LATER, False, None)


def test_only_work_that_counts_and_that_the_gate_opens_is_looked_at() -> None:
    gate, worker = make_floored()
    test = make_candidate(gate, worker=worker)
    judge(test, 0, 0, 0)
    kept_out = work(gate, worker, 0, 0, 0)
    Assignment.objects.filter(pk__in=[one.pk for one in kept_out]).update(kept_out=True)
    rejected = work(gate, worker, 0, 0, 0)
    Assignment.objects.filter(pk__in=[one.pk for one in rejected]).update(status="rejected")
    for one in work(gate, worker, 1, 1, 1):
        make_score(one, 0, measure="other")
    work(make_gate(), worker, 0, 0, 0)

    assert (check_floors(now=LATER), value_of(gate, worker)) == (0, 1)


def test_work_of_before_it_was_passed_does_not_count() -> None:
    gate, worker = make_floored()
    work(gate, worker, 0, 0, 0, at=NOW - DAY)

    assert (check_floors(now=LATER), value_of(gate, worker)) == (0, 1)


def test_floor_applies_to_what_a_person_gave() -> None:
    gate, worker = make_gate(floors=FLOOR), make_worker()
    give(gate=gate, worker=worker, by=make_user(), reason="Known", now=NOW)
    check_floors(now=NOW)
    work(gate, worker, 0, 0, 0)

    assert (check_floors(now=LATER), value_of(gate, worker)) == (1, 0)


def test_nobody_loses_anything_by_a_gate_that_is_off_or_has_no_floor() -> None:
    gate, worker = make_floored()
    work(gate, worker, 0, 0, 0)
    Gate.objects.update(is_active=False)
    assert check_floors(now=LATER) == 0
    Gate.objects.update(is_active=True, floors=[])

    assert (check_floors(now=LATER), value_of(gate, worker)) == (0, 1)


def test_floors_are_looked_at_again_with_the_next_score_alone() -> None:
    gate, worker = make_floored()
    work(gate, worker, 1, 1, 1)
    assert check_floors(now=LATER) == 0

    with CaptureQueriesContext(connection) as asked:
        check_floors(now=LATER)

    assert len(asked) == 2


def test_many_new_scores_are_looked_through_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floors, "AT_ONCE", 2)
    monkeypatch.setattr(floors, "OVERTAKEN", 0)
    gate, worker = make_floored()
    other = make_worker(account=worker.account)
    set_value(gate=gate, worker=other, value=1, now=NOW)
    work(gate, worker, 0, 0, 0)
    work(gate, other, 0, 0, 0)
    Gate.objects.update(scores_to=Score.objects.earliest("pk").pk - 1)

    revoked = [check_floors(now=LATER) for _ in range(5)]

    # A slice only finds new scores; the check itself reads the latest of all scores.
    assert (sum(revoked), value_of(gate, worker), value_of(gate, other)) == (2, 0, 0)
    assert revoked[-1] == 0


def test_retest_opens_after_the_delay_and_counts_anew() -> None:
    gate, worker = make_floored(retest_after_days=2)
    work(gate, worker, 0, 0, 0)
    check_floors(now=NOW)

    assert (open_retests(now=NOW + 2 * DAY - timedelta(seconds=1)), value_of(gate, worker)) == (0, 0)
    assert (open_retests(now=NOW + 2 * DAY), value_of(gate, worker)) == (1, None)
    sit(gate, 1, 1, worker=worker, now=NOW + 3 * DAY)
    work(gate, worker, 0, 0, at=NOW + 4 * DAY)
    assert (check_floors(now=NOW + 4 * DAY), value_of(gate, worker)) == (0, 1)
    work(gate, worker, 0, at=NOW + 4 * DAY)
    assert (check_floors(now=NOW + 4 * DAY), value_of(gate, worker)) == (1, 0)


def test_retest_opens_once_the_grade_is_so_old() -> None:
    gate = make_gate(retest_after_days=1)
    attempt = sit(gate, 0, 0)
    Attempt.objects.update(graded_at=NOW + DAY)

    opened = [open_retests(now=NOW + days * DAY) for days in (1, 2, 2)]

    held = Holding.objects.get()
    assert (opened, held.value, held.is_told, held.changed_at) == ([0, 1, 0], None, False, NOW + 2 * DAY)
    assert attempt.status == "failed"


@pytest.mark.parametrize("changes", [{"retest_after_days": None}, {"is_active": False}], ids=str)
def test_retest_does_not_open_by_itself(changes: dict[str, object]) -> None:
    gate = make_gate(retest_after_days=1)
    worker = sit(gate, 0, 0).worker
    Gate.objects.update(**changes)

    assert (open_retests(now=NOW + 9 * DAY), value_of(gate, worker)) == (0, 0)


def test_retest_does_not_open_while_a_test_waits() -> None:
    gate = make_gate(retest_after_days=1)
    worker = sit(gate).worker

    assert (open_retests(now=NOW + 9 * DAY), value_of(gate, worker)) == (0, 0)


def test_what_a_person_revoked_no_delay_opens() -> None:
    gate = make_gate(retest_after_days=1)
    worker = sit(gate, 1, 1).worker
    revoke(gate=gate, worker=worker, by=make_user(), reason="Two people", now=NOW)

    assert (open_retests(now=NOW + 9 * DAY), value_of(gate, worker)) == (0, 0)


def test_passed_test_is_not_opened_again() -> None:
    gate = make_gate(retest_after_days=0)
    worker = sit(gate, 1, 1).worker

    assert (open_retests(now=NOW + DAY), value_of(gate, worker)) == (0, 1)

"""Two things at one instant: one test begins, one grade counts, and what a person decided stays."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.eligibility import refuse_entry
from hits.work.services.leasing import open_assignment
from qualifications.models import Attempt, Holding
from qualifications.services.gate_holdings import give, set_value
from qualifications.services.grading import grade_by_hand, grade_waiting, regrade_tests
from qualifications.services.test_attempts import follow_tests
from scoring.models import Score
from tests.factories import NOW, make_user, make_worker
from tests.qualifications.gates import (
    judge,
    make_candidate,
    make_gate,
    make_test_hit,
    sit,
    toys,
    value_of,
)
from tests.races import all_at_once

__all__ = ["toys"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("toys"),
]
LATER = NOW + timedelta(hours=1)
AT_ONCE = 4


def enter(hit: HIT, worker: Worker, *, external_id: str) -> str:
    """Enter as the question page does: the worker's row is locked until the work is open."""
    found = HIT.objects.select_related("batch__account", "batch__study").get(pk=hit.pk)
    with transaction.atomic():
        HIT.objects.select_for_update(no_key=True).get(pk=hit.pk)
        refuse_entry(hit=found, worker=worker, now=NOW)
        opened = open_assignment(
            hit=found,
            worker=worker,
            external_id=external_id,
            accepted_at=NOW,
            deadline_at=LATER,
            now=NOW,
        )
    return opened.status


def test_two_hits_at_once_begin_one_test() -> None:
    gate, worker = make_gate(), make_worker()
    hits = [make_test_hit(gate, account=worker.account) for _ in range(AT_ONCE)]

    outcomes = all_at_once(
        *[
            lambda hit=hit, number=number: enter(hit, worker, external_id=f"ASSIGNMENT{number}")
            for number, hit in enumerate(hits)
        ]
    )

    assert Counter(outcomes) == {"opened": 1, "test_waiting": AT_ONCE - 1}
    assert Assignment.objects.count() == 1


def test_sweeps_on_many_machines_follow_and_grade_once() -> None:
    gate = make_gate()
    tests = [make_candidate(gate) for _ in range(3)]
    for test in tests:
        judge(test, 1, 1)

    all_at_once(*[lambda: follow_tests(now=NOW)] * AT_ONCE)
    assert Counter(Attempt.objects.values_list("status", flat=True)) == {"waiting": 3}
    outcomes = all_at_once(*[lambda: grade_waiting(now=NOW)] * AT_ONCE)

    assert sum(outcomes) == 3
    assert Counter(Attempt.objects.values_list("status", flat=True)) == {"passed": 3}
    assert list(Holding.objects.values_list("value", flat=True)) == [1, 1, 1]


def test_person_who_grades_while_scores_do_has_the_last_word() -> None:
    gate, by = make_gate(), make_user()
    attempt = sit(gate, 1, 1)
    Score.objects.update(numerator=1, denominator=2, scored_at=LATER)

    all_at_once(
        lambda: regrade_tests(now=LATER),
        lambda: grade_by_hand(attempt=attempt, passed=False, words="It was copied.", by=by, now=LATER),
        lambda: regrade_tests(now=LATER),
    )

    attempt.refresh_from_db()
    assert (attempt.status, attempt.graded_by, attempt.words) == ("failed", by, "It was copied.")
    assert value_of(gate, attempt.worker) == 0


def test_two_graders_at_once_agree_on_one_grade() -> None:
    gate = make_gate(grading="person")
    attempt = sit(gate)

    def grade(*, passed: bool) -> Callable[[], object]:
        copy = Attempt.objects.get(pk=attempt.pk)
        by = make_user()
        return lambda: grade_by_hand(attempt=copy, passed=passed, words="Said.", by=by, now=LATER)

    all_at_once(grade(passed=True), grade(passed=False))

    attempt.refresh_from_db()
    assert value_of(gate, attempt.worker) == int(attempt.status == "passed")


def test_holding_written_at_once_is_one_row_and_is_told() -> None:
    gate, worker, by = make_gate(), make_worker(), make_user()

    all_at_once(
        lambda: set_value(gate=gate, worker=worker, value=0, now=NOW).value,
        lambda: set_value(gate=gate, worker=worker, value=0, now=NOW).value,
        lambda: give(gate=gate, worker=worker, by=by, reason="Known", now=NOW).value,
    )

    held = Holding.objects.get()
    assert (held.value in (0, 1), held.is_told) == (True, False)

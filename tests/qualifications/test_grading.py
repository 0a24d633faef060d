"""Grades: exact by scores, or by a person, whose decision stays."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from qualifications.models import Attempt, Gate, Holding
from qualifications.queries.test_scores import ScoresByMeasure, scores_of_tests
from qualifications.services import grading, test_attempts
from qualifications.services.floors import check_floors
from qualifications.services.gate_holdings import give, revoke, take_back
from qualifications.services.grading import grade_by_hand, grade_waiting, regrade_tests
from qualifications.services.test_attempts import follow_tests
from scoring.models import Score
from tests.factories import NOW, make_user, make_worker
from tests.qualifications.gates import judge, make_candidate, make_gate, make_score, sit, toys, value_of

__all__ = ["toys"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
LATER = NOW + timedelta(hours=1)
HAIR = Fraction(1, 3000)


def graded(gate: Gate) -> tuple[str, int | None]:
    attempt = Attempt.objects.select_related("worker").get(gate=gate)
    return attempt.status, value_of(gate, attempt.worker)


def rescore(attempt: Attempt, value: Fraction | int) -> None:
    share = Fraction(value)
    Score.objects.filter(assignment=attempt.assignment).update(
        numerator=share.numerator, denominator=share.denominator, scored_at=LATER
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((Fraction(79, 100), Fraction(79, 100)), ("failed", 0)),
        ((Fraction(4, 5), Fraction(4, 5)), ("failed", 0)),
        ((Fraction(1), Fraction(3, 5)), ("failed", 0)),
        ((Fraction(81, 100), Fraction(81, 100)), ("passed", 1)),
        ((Fraction(4, 5), Fraction(4, 5) + HAIR), ("passed", 1)),
        ((Fraction(4, 5), Fraction(4, 5) - HAIR), ("failed", 0)),
    ],
    ids=["79", "80", "80 of whole and part", "81", "a hair above 80", "a hair below 80"],
)
def test_test_above_80_is_graded_exactly(values: tuple[Fraction, ...], expected: tuple[str, int]) -> None:
    gate = make_gate()

    attempt = sit(gate, *values)

    assert graded(gate) == expected
    assert attempt.graded_at == NOW
    assert [Fraction(row["numerator"], row["denominator"]) for row in attempt.findings] == [
        sum(values, Fraction(0)) / 2
    ]


@pytest.mark.parametrize(
    ("fool", "solvable", "status"),
    [(40, 90, "failed"), (41, 80, "failed"), (41, 81, "passed"), (40, 80, "failed")],
)
def test_creators_are_graded_by_both_measures(fool: int, solvable: int, status: str) -> None:
    gate = make_gate(rules=[{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}])
    test = make_candidate(gate)
    judge(test, *[Fraction(fool, 100)] * 2, measure="fool")
    judge(test, *[Fraction(solvable, 100)] * 2, measure="solvable")
    follow_tests(now=NOW)

    grade_waiting(now=NOW)

    assert graded(gate)[0] == status


def test_test_waits_until_all_of_it_is_judged_and_enough_is_scored() -> None:
    gate = make_gate(items=2)
    test = make_candidate(gate)
    make_score(test, 1)
    follow_tests(now=NOW)

    assert (grade_waiting(now=NOW), graded(gate)) == (0, ("waiting", 0))
    Assignment.objects.filter(pk=test.pk).update(judged_at=NOW)
    assert (grade_waiting(now=NOW), graded(gate)) == (0, ("waiting", 0))
    make_score(test, 1)
    assert (grade_waiting(now=NOW), graded(gate)) == (1, ("passed", 1))


@pytest.mark.parametrize("changes", [{"grading": "person"}, {"is_active": False}, {"rules": []}], ids=str)
def test_gate_that_scores_do_not_decide_is_not_graded(changes: dict[str, Any]) -> None:
    gate = make_gate()
    judge(make_candidate(gate), 1, 1)
    follow_tests(now=NOW)
    Gate.objects.update(**changes)

    assert (grade_waiting(now=NOW), graded(gate)) == (0, ("waiting", 0))


def test_many_tests_are_graded_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SLICE", 2)
    gate = make_gate()
    for _ in range(5):
        judge(make_candidate(gate), 1, 1)
    follow_tests(now=NOW)

    assert [grade_waiting(now=NOW), grade_waiting(now=NOW)] == [5, 0]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(1, 0, ("failed", 0)), (0, 1, ("passed", 1)), (1, Fraction(9, 10), ("passed", 1))],
    ids=["lost", "won", "the same"],
)
def test_score_that_changes_later_changes_the_grade(
    before: int, after: Fraction | int, expected: tuple[str, int]
) -> None:
    gate = make_gate()
    attempt = sit(gate, before, before)
    rescore(attempt, after)

    regraded = [regrade_tests(now=LATER), regrade_tests(now=LATER)]

    attempt.refresh_from_db()
    assert (regraded, graded(gate)) == ([1, 0], expected)
    assert (attempt.findings[0]["numerator"], attempt.findings[0]["denominator"]) == (
        Fraction(after).numerator,
        Fraction(after).denominator,
    )


def test_regrading_goes_through_all_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "SLICE", 2)
    gate = make_gate()
    attempts = [sit(gate, 1, 1) for _ in range(5)]
    rescore(attempts[4], 0)
    rescore(attempts[1], 0)
    rescore(attempts[0], 0)

    assert [regrade_tests(now=LATER) for _ in range(2)] == [3, 0]


def test_score_whose_answer_went_to_somebody_else_counts_no_more() -> None:
    gate = make_gate()
    attempt = sit(gate, 1, 1, Fraction(1, 2))
    lost = Score.objects.order_by("pk")[0]
    Lease.objects.create(
        item=lost.item,
        assignment=lost.assignment,
        worker=attempt.worker,
        status=Lease.Status.RELEASED,
        leased_at=NOW,
        ended_at=LATER,
    )

    assert (regrade_tests(now=LATER), graded(gate)) == (1, ("failed", 0))


def test_score_that_was_found_before_the_grade_and_stored_after_it_counts() -> None:
    gate = make_gate()
    attempt = sit(gate, 1, 1)
    rescore(attempt, 0)
    Score.objects.update(scored_at=NOW - timedelta(seconds=5))

    assert (regrade_tests(now=NOW + timedelta(minutes=1)), graded(gate)) == (1, ("failed", 0))


def test_tests_whose_scores_stay_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = make_gate()
    changed, *_rest = [sit(gate, 1, 1) for _ in range(3)]
    rescore(changed, 0)
    read: list[int] = []

    def read_scores(assignments: list[int]) -> dict[int, ScoresByMeasure]:
        read.extend(assignments)
        return scores_of_tests(assignments)

    monkeypatch.setattr(grading, "scores_of_tests", read_scores)
    regrade_tests(now=LATER)

    assert read == [changed.assignment_id]


def test_rule_that_changes_regrades_nobody() -> None:
    gate = make_gate()
    sit(gate, Fraction(9, 10), Fraction(9, 10))
    Gate.objects.update(rules=[{"measure": "right", "above": 95}], items=10)

    assert (regrade_tests(now=LATER), graded(gate)) == (0, ("passed", 1))


def test_score_that_changes_does_not_undo_what_a_person_or_a_floor_decided() -> None:
    gate, by = make_gate(), make_user()
    given, revoked, fallen = sit(gate, 0, 0), sit(gate, 1, 1), sit(gate, 0, 0)
    give(gate=gate, worker=given.worker, by=by, reason="Known", now=NOW)
    revoke(gate=gate, worker=revoked.worker, by=by, reason="At random", now=NOW)
    give(gate=gate, worker=fallen.worker, by=by, reason="Known", now=NOW)
    take_back(gate=gate, worker=fallen.worker, reason="Below", now=NOW)
    for attempt in (given, revoked, fallen):
        rescore(attempt, 1 - int(attempt.status == "passed"))
    rescore(given, 1)
    regrade_tests(now=LATER)
    rescore(given, 0)
    regrade_tests(now=LATER)

    assert [value_of(gate, attempt.worker) for attempt in (given, revoked, fallen)] == [1, 0, 0]


def test_earlier_attempt_that_is_regraded_changes_nothing_of_a_later_one() -> None:
    gate, worker = make_gate(retest_after_days=0), make_worker()
    first = sit(gate, 0, 0, worker=worker)
    Holding.objects.update(value=None)
    sit(gate, 1, 1, worker=worker, now=LATER)
    rescore(first, Fraction(1, 2))

    regrade_tests(now=LATER)

    assert value_of(gate, worker) == 1


@pytest.mark.parametrize(
    ("passed", "expected"), [(True, ("passed", 1)), (False, ("failed", 0))], ids=["passed", "failed"]
)
def test_person_grades_with_words(passed: bool, expected: tuple[str, int]) -> None:
    gate, by = make_gate(grading="person"), make_user()
    attempt = sit(gate)

    grade_by_hand(
        attempt=attempt, passed=passed, words="The second text is not a sentence.", by=by, now=LATER
    )

    assert graded(gate) == expected
    assert (attempt.words, attempt.graded_by, attempt.graded_at) == (
        "The second text is not a sentence.",
        by,
        LATER,
    )
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.study) == ("qualification.graded", by, gate.study)


def test_person_grades_anew_and_no_score_changes_it_back() -> None:
    gate, by = make_gate(), make_user()
    attempt = sit(gate, 0, 0)

    grade_by_hand(attempt=attempt, passed=True, words="", by=by, now=LATER)
    rescore(attempt, Fraction(1, 2))
    regrade_tests(now=LATER)
    assert graded(gate) == ("passed", 1)
    grade_by_hand(attempt=attempt, passed=True, words="Well done.", by=by, now=LATER)
    assert (graded(gate), attempt.words) == (("passed", 1), "Well done.")
    grade_by_hand(attempt=attempt, passed=False, words="It was copied.", by=by, now=LATER)
    assert (graded(gate), attempt.words) == (("failed", 0), "It was copied.")
    assert AuditEvent.objects.count() == 3


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        ("opened", "Good.", "not_handed_in"),
        ("gone", "Good.", "not_handed_in"),
        ("submitted", "", "no_reason"),
        ("submitted", "x" * 501, "bad_reason"),
        ("submitted", "a\nb", "bad_reason"),
    ],
    ids=["opened", "gone", "no words", "too long", "two lines"],
)
def test_grade_that_cannot_be_given_changes_nothing(status: str, words: str, code: str) -> None:
    gate = make_gate(grading="person")
    make_candidate(gate, status=status)
    follow_tests(now=NOW)
    before = Attempt.objects.values().get()

    with pytest.raises(RuleBroken) as refused:
        grade_by_hand(attempt=Attempt.objects.get(), passed=False, words=words, by=make_user(), now=LATER)

    assert (refused.value.code, Attempt.objects.values().get()) == (code, before)
    assert not AuditEvent.objects.exists()


def test_test_that_lacks_scores_is_graded_by_a_person() -> None:
    gate = make_gate(items=10)
    attempt = sit(gate, 1, 1)

    grade_by_hand(attempt=attempt, passed=True, words="", by=make_user(), now=LATER)

    assert graded(gate) == ("passed", 1)


def test_work_kept_out_after_the_grade_leaves_the_grade() -> None:
    gate = make_gate()
    attempt = sit(gate, 1, 1)
    Assignment.objects.filter(attempt_at_gate=attempt).update(kept_out=True)

    follow_tests(now=LATER)
    regrade_tests(now=LATER)
    check_floors(now=LATER)

    assert graded(gate) == ("passed", 1)


class Died(BaseException):
    """Stands for a killed process: no handler catches it."""


def die(**_: object) -> None:
    raise Died


def test_sweep_that_dies_at_the_grade_grades_with_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = make_gate()
    judge(make_candidate(gate), 1, 1)
    follow_tests(now=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(grading, "set_value", die)
        with pytest.raises(Died):
            grade_waiting(now=NOW)

    assert graded(gate) == ("waiting", 0)
    assert (grade_waiting(now=LATER), graded(gate)) == (1, ("passed", 1))


def test_sweep_that_dies_at_the_hand_in_follows_with_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = make_gate()
    make_candidate(gate)
    with monkeypatch.context() as patch:
        patch.setattr(test_attempts, "set_value", die)
        with pytest.raises(Died):
            follow_tests(now=NOW)

    assert graded(gate) == ("started", None)
    follow_tests(now=LATER)
    assert graded(gate) == ("waiting", 0)


def test_gate_with_broken_rules_keeps_no_other_gate_waiting() -> None:
    broken, whole = make_gate(floors=[{"below": "all"}]), make_gate()
    for gate in (broken, whole):
        judge(make_candidate(gate), 1, 1)
    follow_tests(now=NOW)
    Gate.objects.filter(pk=broken.pk).update(rules=[{"measure": "right"}], scores_to=0)

    assert grade_waiting(now=NOW) == 1
    assert check_floors(now=NOW) == 0
    assert (graded(broken), graded(whole)) == (("waiting", 0), ("passed", 1))

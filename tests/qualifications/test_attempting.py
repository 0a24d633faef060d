"""Attempts follow from assignments, each once, and a test that was used up stays used up."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment
from qualifications.models import Attempt, Gate, Holding
from qualifications.services import test_attempts
from qualifications.services.gate_holdings import give, set_value, take_back
from qualifications.services.test_attempts import follow_tests, record_provider_result
from tests.factories import NOW, make_account, make_assignment, make_hit, make_user, make_worker
from tests.qualifications.gates import (
    WORK,
    make_candidate,
    make_gate,
    make_test_hit,
    make_work_hit,
    toys,
    value_of,
)

__all__ = ["toys"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
LATER = NOW + timedelta(minutes=10)


def become(test: Assignment, status: str, **changes: Any) -> None:
    if status in ("submitted", "approved", "rejected"):
        changes.setdefault("submitted_at", NOW)
    if status == "saved":
        changes.setdefault("answer", {"right": "1"})
    Assignment.objects.filter(pk=test.pk).update(status=status, **changes)


def found(gate: Gate) -> list[tuple[str, int | None]]:
    """Status of each attempt, and the value that its worker holds."""
    attempts = Attempt.objects.filter(gate=gate).order_by("assignment").select_related("worker")
    return [(attempt.status, value_of(gate, attempt.worker)) for attempt in attempts]


@pytest.mark.parametrize(
    ("status", "changes", "expected"),
    [
        ("opened", {}, ("started", None)),
        ("saved", {}, ("started", None)),
        ("submitted", {}, ("waiting", 0)),
        ("approved", {}, ("waiting", 0)),
        ("rejected", {}, ("failed", 0)),
        ("gone", {}, ("given_up", None)),
        ("gone", {"beat_at": NOW}, ("given_up", 0)),
        ("submitted", {"kept_out": True}, ("given_up", 0)),
    ],
    ids=["opened", "saved", "submitted", "approved", "rejected", "returned", "used up", "kept out"],
)
@pytest.mark.parametrize("is_seen", [False, True], ids=["found so", "followed"])
def test_attempt_is_what_became_of_the_test(
    status: str, changes: dict[str, Any], expected: tuple[str, int | None], is_seen: bool
) -> None:
    gate = make_gate()
    test = make_candidate(gate, status="opened")
    if is_seen:
        follow_tests(now=NOW)
    become(test, status, **changes)

    follow_tests(now=LATER)
    follow_tests(now=LATER)

    assert found(gate) == [expected]
    attempt = Attempt.objects.get()
    assert (attempt.assignment, attempt.worker, attempt.started_at) == (test, test.worker, NOW)


def test_attempt_that_waits_ends_where_its_work_is_taken_out_or_rejected() -> None:
    gate = make_gate()
    tests = [make_candidate(gate) for _ in range(3)]
    follow_tests(now=NOW)
    become(tests[0], "rejected")
    Assignment.objects.filter(pk=tests[1].pk).update(kept_out=True)

    moved = [follow_tests(now=LATER), follow_tests(now=LATER)]

    assert moved == [2, 0]
    assert found(gate) == [("failed", 0), ("given_up", 0), ("waiting", 0)]


def test_work_that_is_no_test_of_a_gate_makes_no_attempt() -> None:
    gate = make_gate()
    make_candidate(make_gate(is_active=False))
    make_assignment(hit=make_work_hit(gate), status="submitted")
    make_assignment(hit=make_hit(), status="submitted")
    player = make_worker(account=make_account(kind=Account.Kind.WEB))
    make_candidate(gate, worker=player)

    assert (follow_tests(now=NOW), Attempt.objects.count()) == (0, 0)


def test_gate_that_is_new_finds_the_tests_there_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_attempts, "OVERTAKEN", 0)
    make_candidate(make_gate())
    follow_tests(now=NOW)
    gate = make_gate(is_active=False)
    make_candidate(gate)
    make_candidate(make_gate())
    follow_tests(now=NOW)
    Gate.objects.filter(pk=gate.pk).update(is_active=True)

    follow_tests(now=LATER)

    assert found(gate) == [("waiting", 0)]


def test_tests_are_followed_in_slices_without_losing_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_attempts, "OVERTAKEN", 0)
    monkeypatch.setattr(test_attempts, "SLICE", 2)
    gate = make_gate()
    for _ in range(5):
        make_candidate(gate)

    begun = [follow_tests(now=NOW) for _ in range(4)]

    assert (begun, Attempt.objects.count()) == ([2, 2, 1, 0], 5)


def test_following_nothing_new_costs_five_queries_however_much_there_was() -> None:
    gate = make_gate()
    for _ in range(3):
        make_candidate(gate)
    follow_tests(now=NOW)

    with CaptureQueriesContext(connection) as asked:
        follow_tests(now=LATER)

    # Running attempts, gates, the newest assignment, new tests, and given-up work that may return.
    assert len(asked) == 5


def test_test_begun_anew_after_a_return_is_the_attempt_that_runs() -> None:
    gate, worker = make_gate(), make_worker()
    hit = make_test_hit(gate, account=worker.account)
    first = make_candidate(gate, worker=worker, hit=hit, status="opened")
    follow_tests(now=NOW)
    become(first, "gone")
    make_candidate(gate, worker=worker, hit=hit, status="opened", attempt=2)

    follow_tests(now=LATER)

    assert found(gate) == [("given_up", None), ("started", None)]


def test_second_test_that_only_the_provider_knows_of_does_not_count() -> None:
    gate, worker = make_gate(), make_worker()
    make_candidate(gate, worker=worker)
    follow_tests(now=NOW)
    make_candidate(gate, worker=worker)

    follow_tests(now=LATER)
    follow_tests(now=LATER)

    assert found(gate) == [("waiting", 0), ("given_up", 0)]
    assert Attempt.objects.filter(handed_in_at=None).count() == 0


@pytest.mark.parametrize("beat_at", [None, NOW], ids=["returned", "used up"])
def test_test_handed_in_after_all_counts(beat_at: Any) -> None:
    gate = make_gate()
    test = make_candidate(gate, status="gone", beat_at=beat_at)
    follow_tests(now=NOW)
    become(test, "submitted")

    moved = [follow_tests(now=LATER), follow_tests(now=LATER)]

    assert (moved, found(gate)) == ([1, 0], [("waiting", 0)])


def test_what_a_person_gave_meanwhile_is_not_lowered_by_handing_in() -> None:
    gate = make_gate()
    test = make_candidate(gate)
    give(gate=gate, worker=test.worker, by=make_user(), reason="Known", now=NOW)

    follow_tests(now=LATER)

    assert found(gate) == [("waiting", 1)]


@pytest.mark.parametrize(("passed", "value"), [(True, 90), (False, 70)], ids=["passed", "failed"])
def test_result_of_the_provider_is_recorded_once(passed: bool, value: int) -> None:
    gate, worker = make_gate(grading="provider", test_task="", rules=[], passing_value=80), make_worker()

    for moment in (NOW, LATER):
        record_provider_result(gate=gate, worker=worker, passed=passed, value=value, now=moment)

    attempt = Attempt.objects.get()
    assert (attempt.status, attempt.graded_at, attempt.assignment) == (
        "passed" if passed else "failed",
        NOW,
        None,
    )
    assert attempt.findings[0]["holds"] is passed
    assert Holding.objects.values_list("value", "is_told").get() == (int(passed), True)


def test_another_result_of_the_provider_is_another_attempt() -> None:
    gate, worker = make_gate(grading="provider", test_task="", rules=[]), make_worker()
    record_provider_result(gate=gate, worker=worker, passed=False, value=60, now=NOW)

    record_provider_result(gate=gate, worker=worker, passed=True, value=100, now=LATER)

    assert list(Attempt.objects.order_by("pk").values_list("status", flat=True)) == ["failed", "passed"]
    assert value_of(gate, worker) == 1


def test_result_of_the_provider_does_not_undo_what_a_person_decided() -> None:
    gate, worker = make_gate(grading="provider", test_task="", rules=[]), make_worker()
    give(gate=gate, worker=worker, by=make_user(), reason="Known", now=NOW)

    record_provider_result(gate=gate, worker=worker, passed=False, value=60, now=LATER)

    assert (value_of(gate, worker), Attempt.objects.get().status) == (1, "failed")


def test_result_of_the_provider_does_not_bring_back_what_a_floor_took() -> None:
    gate, worker = make_gate(grading="provider", test_task="", rules=[]), make_worker()
    record_provider_result(gate=gate, worker=worker, passed=True, value=90, now=NOW)
    take_back(gate=gate, worker=worker, reason="Below 60", now=NOW)

    record_provider_result(gate=gate, worker=worker, passed=True, value=95, now=LATER)

    held = Holding.objects.get()
    assert (held.value, held.reason, Attempt.objects.count()) == (0, "Below 60", 2)


def test_gate_switched_on_between_two_looks_stops_no_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, late = make_gate(), make_gate(is_active=False)
    test, later_test = make_candidate(gate), make_candidate(late)
    found = test_attempts._tests_without_attempt

    def switch_on_first(gates: Any, **bounds: Any) -> Any:
        Gate.objects.filter(pk=late.pk).update(is_active=True)
        return found(gates, **bounds)

    monkeypatch.setattr(test_attempts, "_tests_without_attempt", switch_on_first)

    runs = [follow_tests(now=NOW) for _ in range(2)]

    assert runs == [1, 1]
    assert set(Attempt.objects.values_list("assignment", flat=True)) == {test.pk, later_test.pk}


def test_work_opened_by_the_gate_is_no_attempt_even_if_it_is_scored() -> None:
    gate = make_gate()
    set_value(gate=gate, worker=make_worker(), value=1, now=NOW)
    make_assignment(hit=make_work_hit(gate, task=WORK), status="approved")

    follow_tests(now=NOW)

    assert not Attempt.objects.exists()

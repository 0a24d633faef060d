"""The entry policy of gates: decided from the work itself, under the worker's lock, in kind words."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.compensation.compensation_task import CollectTask
from hits import families
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from qualifications.gate_policy import GatePolicy
from qualifications.models import Attempt, Gate, Holding
from qualifications.services.gate_holdings import give, let_try_again, revoke, set_value
from qualifications.services.retests import open_retests
from qualifications.services.test_attempts import follow_tests
from tests.factories import NOW, make_account, make_assignment, make_user, make_worker
from tests.qualifications.gates import (
    TEST,
    WORK,
    code,
    make_candidate,
    make_gate,
    make_test_hit,
    make_work_hit,
    refusal,
    sit,
    toys,
    value_of,
)

__all__ = ["toys"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
LATER = NOW + timedelta(days=3)


def read(hit: HIT) -> HIT:
    """Read the HIT as the question page does."""
    return HIT.objects.select_related("batch__account", "batch__study").get(pk=hit.pk)


def fill(hit: HIT, count: int) -> list[Item]:
    batch = hit.batch
    return [Item.objects.create(study=batch.study, task=batch.task, wanted=100) for _ in range(count)]


def test_work_behind_a_gate_is_for_who_has_passed_it() -> None:
    gate, worker = make_gate(), make_worker()
    hit = make_work_hit(gate, account=worker.account)

    assert code(hit, worker) == "not_tested"
    set_value(gate=gate, worker=worker, value=1, now=NOW)
    assert code(hit, worker) == ""
    assert not Assignment.objects.exists()


def test_refusal_says_where_the_test_is() -> None:
    gate, worker = make_gate(name="Solver test"), make_worker()
    hit = make_work_hit(gate, account=worker.account)
    make_test_hit(gate, account=worker.account, title="Ten words")
    make_test_hit(gate, title="Somewhere else")

    _, words = refusal(hit, worker)

    assert words == (
        "You have not taken “Solver test” yet. Look for “Ten words” on the platform to take it. "
        "Please return this work; nothing else changes."
    )


@pytest.mark.parametrize("held", [[], [0], [1]], ids=["none", "first", "second"])
def test_work_behind_two_gates_wants_both(held: list[int]) -> None:
    first = make_gate()
    gates = [first, make_gate(study=first.study, test_task="toy.other")]
    worker = make_worker()
    for place in held:
        set_value(gate=gates[place], worker=worker, value=1, now=NOW)

    assert code(make_work_hit(first, account=worker.account), worker) == "not_tested"
    for gate in gates:
        set_value(gate=gate, worker=worker, value=1, now=NOW)
    assert code(make_work_hit(first, account=worker.account), worker) == ""


@pytest.mark.parametrize(
    "changes", [{"is_active": False}, {"opens": []}, {"opens": ["toy"]}], ids=["off", "nothing", "another"]
)
def test_gate_that_does_not_open_the_work_is_in_nobodys_way(changes: dict[str, Any]) -> None:
    gate, worker = make_gate(**changes), make_worker()

    assert code(make_work_hit(gate, account=worker.account), worker) == ""


def test_gate_of_another_study_is_in_nobodys_way() -> None:
    make_gate()
    other = make_gate(opens=[])
    worker = make_worker()

    assert code(make_work_hit(other, account=worker.account), worker) == ""


def test_players_are_not_gated() -> None:
    gate = make_gate()
    player = make_worker(account=make_account(kind=Account.Kind.WEB))

    assert code(make_work_hit(gate, account=player.account), player) == ""


def test_what_only_pays_a_bonus_is_not_gated() -> None:
    gate, worker = make_gate(opens=[WORK, CollectTask.key]), make_worker()
    hit = make_work_hit(gate, account=worker.account, task=CollectTask.key)

    GatePolicy().refuse_entry(hit=read(hit), worker=worker, now=NOW)

    assert not families.is_offered(CollectTask.key)
    assert list(GatePolicy().ask(hit.batch).obstacles) == []


def test_failure_is_told_kindly_and_exactly() -> None:
    gate = make_gate(name="Solver test")
    attempt = sit(gate, 0, 1)
    hit = make_work_hit(gate, account=attempt.worker.account)

    found, words = refusal(hit, attempt.worker)

    assert found == "test_failed"
    assert words == (
        "Thank you for taking “Solver test”. You did not pass it this time. "
        "Right: your average was 50 %, and above 80 % is needed. "
        "Each person has one attempt. Other work stays open to you. "
        "Please return this work; nothing else changes."
    )


def test_revocation_is_told_with_its_reason() -> None:
    gate, worker = make_gate(name="Solver test"), make_worker()
    give(gate=gate, worker=worker, by=make_user(), reason="Known", now=NOW)
    revoke(gate=gate, worker=worker, by=make_user(), reason="Two people used one account.", now=NOW)

    for make in (make_work_hit, make_test_hit):
        found, words = refusal(make(gate, account=worker.account), worker)
        assert found == "revoked"
        assert "Two people used one account." in words


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("opened", "test_waiting"),
        ("saved", "test_waiting"),
        ("submitted", "test_waiting"),
        ("approved", "test_waiting"),
        ("rejected", "test_failed"),
        ("gone", ""),
    ],
)
@pytest.mark.parametrize("is_followed", [False, True], ids=["at once", "followed"])
def test_second_test_is_refused(status: str, expected: str, is_followed: bool) -> None:
    gate = make_gate()
    first = make_candidate(gate, status=status, answer={"right": "1"})
    if is_followed:
        follow_tests(now=NOW)

    assert code(make_test_hit(gate, account=first.worker.account), first.worker) == expected


def test_test_that_was_saved_here_is_not_told_to_be_finished() -> None:
    gate = make_gate(name="Solver test")
    first = make_candidate(gate, status="saved", answer={"right": "1"})

    _, words = refusal(make_test_hit(gate, account=first.worker.account), first.worker)

    assert words.startswith("We have your answers to “Solver test” from other work")


def test_test_that_was_seen_and_returned_is_used_up() -> None:
    gate = make_gate()
    first = make_candidate(gate, status="gone", beat_at=NOW)
    again = make_test_hit(gate, account=first.worker.account)

    assert code(again, first.worker) == "test_used"
    follow_tests(now=NOW)
    assert code(again, first.worker) == "test_used"
    assert value_of(gate, first.worker) == 0


@pytest.mark.parametrize(("beat_at", "expected"), [(None, ""), (NOW, "test_used")], ids=["unseen", "seen"])
def test_same_hit_accepted_anew_goes_on_unless_it_is_used_up(beat_at: Any, expected: str) -> None:
    gate = make_gate()
    first = make_candidate(gate, status="opened", beat_at=beat_at)

    assert code(first.hit, first.worker) == expected


@pytest.mark.parametrize(
    ("values", "expected"), [((1, 1), "passed_already"), ((0, 0), "test_failed")], ids=["passed", "failed"]
)
def test_graded_test_is_not_taken_again(values: tuple[int, int], expected: str) -> None:
    gate = make_gate()
    attempt = sit(gate, *values)

    assert code(make_test_hit(gate, account=attempt.worker.account), attempt.worker) == expected


def test_test_that_is_itself_behind_a_gate_comes_second() -> None:
    first = make_gate(opens=[WORK, "toy.second"])
    second = make_gate(study=first.study, test_task="toy.second", opens=[WORK], grading="person")
    worker = make_worker()
    hit = make_test_hit(second, account=worker.account, sharding="whole")
    door = GatePolicy()

    with pytest.raises(RuleBroken) as refused:
        door.refuse_entry(hit=read(hit), worker=worker, now=NOW)
    assert refused.value.code == "not_tested"
    set_value(gate=first, worker=worker, value=1, now=NOW)
    door.refuse_entry(hit=read(hit), worker=worker, now=NOW)


def test_delay_that_is_over_opens_the_test_again() -> None:
    gate = make_gate(retest_after_days=2)
    worker = sit(gate, 0, 0).worker
    again = make_test_hit(gate, account=worker.account)
    fill(again, 2)

    assert code(again, worker) == "test_failed"
    open_retests(now=LATER)

    assert code(again, worker) == ""


def test_who_tries_again_is_not_asked_too_little_to_be_graded() -> None:
    gate = make_gate(retest_after_days=2)
    worker = sit(gate, 0, 0).worker
    again = make_test_hit(gate, account=worker.account)
    open_retests(now=LATER)
    first, *_ = fill(again, 2)
    lease = Lease.objects.create(
        item=first, assignment=Assignment.objects.get(), worker=worker, status="answered", leased_at=NOW
    )

    assert code(again, worker) == "test_used"
    lease.delete()
    assert code(again, worker) == ""


def test_retest_accepted_anew_counts_what_it_holds() -> None:
    gate = make_gate(retest_after_days=2)
    worker = sit(gate, 0, 0).worker
    open_retests(now=LATER)
    again = make_test_hit(gate, account=worker.account, items_per_assignment=2)
    fill(again, 2)
    begun = make_candidate(gate, worker=worker, hit=again, status="opened", opened_at=LATER)
    assert len(leasing.lease_items(assignment=begun, now=LATER)) == 2

    assert code(again, worker) == ""


def test_retest_draws_items_that_are_new_to_its_worker() -> None:
    gate = make_gate(retest_after_days=0)
    worker = make_worker()
    hits = [make_test_hit(gate, account=worker.account, items_per_assignment=2) for _ in range(3)]
    fill(hits[0], 4)
    drawn = []
    for number, status in enumerate(("gone", "submitted", "opened")):
        test = make_candidate(gate, worker=worker, hit=hits[number], status="opened")
        drawn.append({item.pk for item in leasing.lease_items(assignment=test, now=NOW)})
        if status == "gone":
            leasing.give_up(test, now=NOW)
        elif status == "submitted":
            leasing.save_answer(assignment=test, answer={"right": "0"}, now=NOW)

    assert not drawn[0] & drawn[1]
    assert not drawn[1] & drawn[2]


def test_who_was_let_try_again_may() -> None:
    gate = make_gate()
    attempt = sit(gate, 0, 0)
    again = make_test_hit(gate, account=attempt.worker.account)
    fill(again, 2)

    let_try_again(gate=gate, worker=attempt.worker, by=make_user(), reason="Broken", now=LATER)

    assert code(again, attempt.worker) == ""


def test_who_loses_it_at_work_hands_in_what_was_begun() -> None:
    gate, worker = make_gate(), make_worker()
    set_value(gate=gate, worker=worker, value=1, now=NOW)
    hit = make_work_hit(gate, account=worker.account)
    begun = make_assignment(hit=hit, worker=worker)
    revoke(gate=gate, worker=worker, by=make_user(), reason="Below", now=NOW)

    leasing.save_answer(assignment=begun, answer={"right": "1"}, now=NOW)

    assert Assignment.objects.get().status == "saved"
    assert code(make_work_hit(gate, account=worker.account), worker) == "revoked"


def count_queries(hit: HIT, worker: Worker) -> int:
    found = read(hit)
    with CaptureQueriesContext(connection) as asked:
        entry_policies.refuse_entry(hit=found, worker=worker, now=NOW)
    return len(asked)


def test_door_costs_few_queries() -> None:
    gate = make_gate()
    ungated = make_work_hit(make_gate(opens=[]))
    worker = make_worker(account=ungated.batch.account)
    set_value(gate=gate, worker=worker, value=1, now=NOW)
    newcomer = make_worker(account=worker.account)

    assert count_queries(ungated, worker) == 2
    assert count_queries(make_work_hit(gate, account=worker.account), worker) == 3
    assert count_queries(make_test_hit(gate, account=worker.account), newcomer) == 4


@pytest.mark.parametrize(
    ("items", "each", "words"),
    [
        (10, 9, "each worker of this batch would get 9. Raise the items for each assignment"),
        (9, 10, "this batch has items for 9. Add items to it."),
        (10, 10, ""),
    ],
    ids=["too few each", "too few", "enough"],
)
def test_test_that_could_never_be_graded_is_not_launched(items: int, each: int, words: str) -> None:
    gate = make_gate(items=10)
    hit = make_test_hit(gate, items_per_assignment=each)
    fill(hit, items)

    said = [one for one in GatePolicy().ask(hit.batch).obstacles if "is graded over" in one]

    assert [words in one for one in said] == ([True] if words else [])


def test_test_that_a_person_grades_is_of_any_size() -> None:
    gate = make_gate(items=10, grading="person")
    hit = make_test_hit(gate)

    assert not [one for one in GatePolicy().ask(hit.batch).obstacles if "is graded over" in one]


def test_refused_entry_writes_nothing() -> None:
    gate, worker = make_gate(), make_worker()
    before = [model.objects.count() for model in (Gate, Holding, Attempt, Assignment)]

    refusal(make_work_hit(gate, account=worker.account), worker)

    assert [model.objects.count() for model in (Gate, Holding, Attempt, Assignment)] == before
    assert TEST in families.registered()


@pytest.mark.parametrize(
    ("accepted_at", "expected"), [(NOW, ""), (None, "test_waiting")], ids=["proven", "claimed"]
)
def test_test_that_runs_in_the_same_hit_is_over_only_where_its_return_is_proven(
    accepted_at: Any, expected: str
) -> None:
    gate = make_gate()
    running = make_candidate(gate, status="opened", accepted_at=accepted_at)

    assert code(running.hit, running.worker) == expected

"""A worker's standing and what work asks for: kind, exact, and nothing about other people."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from hits.common.percentages import percentage
from hits.core.domain import requirements
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from qualifications import gate_words
from qualifications.domain.gate_rules import Bound, Finding
from qualifications.models import ConsentText, Gate
from qualifications.presets import PRESETS
from qualifications.queries.gate_standing import Stand, conditions_of, standing_of
from qualifications.services.gate_holdings import give, revoke
from qualifications.services.grading import grade_by_hand
from qualifications.services.retests import open_retests
from qualifications.services.test_attempts import follow_tests
from tests.factories import NOW, make_account, make_batch, make_study, make_user, make_worker
from tests.qualifications.gates import (
    WORK,
    ToyTest,
    make_candidate,
    make_gate,
    make_test_hit,
    make_work_hit,
    sit,
    toys,
)

__all__ = ["toys"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
DAY = timedelta(days=1)


def stand(gate: Gate, worker: Worker) -> Stand:
    (found,) = standing_of(worker=worker, study=gate.study)
    return found


def test_newcomer_is_told_where_the_test_is() -> None:
    gate, worker = make_gate(name="Solver test"), make_worker()
    assert (
        stand(gate, worker).next
        == "Nothing with this test is offered at the moment. Please look again later."
    )

    make_test_hit(gate, account=worker.account, title="Ten words")

    found = stand(gate, worker)
    assert (found.code, found.done) == ("not_tested", "You have not taken “Solver test” yet.")
    assert found.next == "Look for “Ten words” on the platform to take it."


@pytest.mark.parametrize(
    ("status", "grading", "code", "following"),
    [
        ("opened", "scores", "test_started", "Finish it and submit it"),
        ("submitted", "scores", "test_waiting", "It is graded as soon as all of it is scored."),
        ("submitted", "person", "test_waiting", "A person grades it."),
        ("gone", "scores", "not_tested", "Nothing with this"),
    ],
)
def test_running_test_is_told(status: str, grading: str, code: str, following: str) -> None:
    gate = make_gate(grading=grading)
    test = make_candidate(gate, status=status)
    test.hit.batch.status = "complete"
    test.hit.batch.save()
    follow_tests(now=NOW)

    found = stand(gate, test.worker)

    assert (found.code, found.next.startswith(following)) == (code, True)


def test_waiting_says_how_far_the_scores_have_come() -> None:
    gate = make_gate(items=3)
    attempt = sit(gate, 0, 1)

    found = stand(gate, attempt.worker)

    assert (found.code, found.findings) == ("test_waiting", ["2 of 3 parts are scored so far."])


def test_waiting_for_the_answers_of_others_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = make_gate()
    monkeypatch.setattr(ToyTest, "is_judged_later", True)
    test = make_candidate(gate)
    follow_tests(now=NOW)

    assert stand(gate, test.worker).next.startswith("It is graded once other people have answered")


def test_passing_is_told_with_what_it_came_to() -> None:
    gate = make_gate(name="Solver test")
    attempt = sit(gate, 1, 1)

    found = stand(gate, attempt.worker)

    assert (found.code, found.is_passed, found.next) == (
        "passed",
        True,
        "The work that it opens is open to you.",
    )
    assert found.findings == ["Right: your average was 100 %, and above 80 % was needed."]


def test_failing_is_told_with_words_of_a_person_and_when_to_try_again() -> None:
    gate = make_gate(name="Five examples", study=make_study(time_zone="Europe/Berlin"), retest_after_days=30)
    attempt = sit(gate, 0, 1)
    grade_by_hand(attempt=attempt, passed=False, words="Read the second one again.", by=make_user(), now=NOW)

    found = stand(gate, attempt.worker)

    assert found.done == (
        "Thank you for taking “Five examples”. You did not pass it this time. Read the second one again."
    )
    assert (found.may_retry_at, found.next) == (
        NOW + 30 * DAY,
        "You may try again from 21 Dec 2026, 13:00 on.",
    )


def test_who_may_try_again_is_told_so() -> None:
    gate = make_gate(name="Solver test", retest_after_days=1)
    attempt = sit(gate, 0, 0)
    open_retests(now=NOW + DAY)

    found = stand(gate, attempt.worker)

    assert (found.code, found.findings, found.may_retry_at) == ("may_retry", (), None)
    assert found.done == "You did not pass “Solver test” last time, and may try again now."


def test_what_was_revoked_by_a_person_has_no_delay() -> None:
    gate, worker = make_gate(retest_after_days=1), make_worker()
    give(gate=gate, worker=worker, by=make_user(), reason="Known", now=NOW)
    revoke(gate=gate, worker=worker, by=make_user(), reason="Two people.", now=NOW)

    found = stand(gate, worker)

    assert (found.code, found.may_retry_at) == ("revoked", None)
    assert found.done.endswith(" Two people.")
    assert "write to us" in found.next


def test_used_up_test_is_told() -> None:
    gate = make_gate()
    test = make_candidate(gate, status="gone", beat_at=NOW)
    follow_tests(now=NOW)

    assert stand(gate, test.worker).code == "test_used"


def test_test_behind_another_test_is_told_in_order() -> None:
    first = make_gate(name="Solver test", opens=["toy.second"])
    make_gate(study=first.study, test_task="toy.second", opens=[WORK])
    worker = make_worker()

    found = standing_of(worker=worker, study=first.study)

    assert [one.code for one in found] == ["not_tested", "not_tested"]
    assert found[1].next == "It opens as soon as you have passed “Solver test”."


def test_standing_shows_gates_that_are_on_and_nothing_to_players() -> None:
    gate = make_gate(is_active=False)
    assert standing_of(worker=make_worker(), study=gate.study) == []
    Gate.objects.update(is_active=True)

    player = make_worker(account=make_account(kind=Account.Kind.WEB))

    assert standing_of(worker=player, study=gate.study) == []


def test_standing_costs_the_same_for_one_gate_and_for_three() -> None:
    costs = []
    for count in (1, 3):
        study, worker = make_study(), make_worker()
        for number in range(count):
            gate = make_gate(study=study, test_task=f"toy.test{number}", items=5)
            attempt = make_candidate(make_gate(), worker=worker)
            gate.attempts.create(worker=worker, assignment=attempt, status="waiting", started_at=NOW)
        with CaptureQueriesContext(connection) as asked:
            assert len(standing_of(worker=worker, study=study)) == count
        costs.append(len(asked))

    assert costs == [5, 5]


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (Fraction(79999, 100000), "Right: your average was 79.99 %, and above 80 % is needed."),
        (Fraction(4, 5), "Right: your average was 80 %, and above 80 % is needed."),
        (Fraction(80001, 100000), "Right: your average was just above 80 %, and above 80 % was needed."),
        (Fraction(23, 30), "Right: your average was 76.66 %, and above 80 % is needed."),
        (Fraction(9, 10), "Right: your average was 90 %, and above 80 % was needed."),
    ],
    ids=["79.999", "80", "80.001", "76.67", "90"],
)
def test_average_is_never_rounded_up_to_a_bound(mean: Fraction, said: str) -> None:
    bound = Bound(measure="right", percent=80, strictly=True)

    assert gate_words.findings_in_words([Finding(bound=bound, mean=mean, count=10).as_json()]) == [said]


def test_words_speak_the_language_of_the_page() -> None:
    with translation.override("de"):
        assert percentage(Fraction(23, 30)) == "76,66 %"


def test_conditions_of_open_work_are_none() -> None:
    assert conditions_of(make_batch()) == []


def publish(study: Study, **changes: Any) -> None:
    ConsentText.objects.create(study=study, version=1, title="x", text="x", published_at=NOW, **changes)


def test_conditions_name_consent_tests_and_what_the_platform_checks() -> None:
    gate = make_gate(name="Solver test")
    publish(gate.study, asks_demographics=True)
    account = make_account()
    make_test_hit(gate, account=account, title="Ten words")
    rows = [
        {
            "QualificationTypeId": requirements.PERCENT_APPROVED,
            "Comparator": "GreaterThan",
            "IntegerValues": [98],
        },
        {
            "QualificationTypeId": requirements.NUMBER_APPROVED,
            "Comparator": "GreaterThan",
            "IntegerValues": [5000],
        },
        {
            "QualificationTypeId": requirements.LOCALE,
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}, {"Country": "GB"}],
        },
        {"QualificationTypeId": "3OWN", "Comparator": "Exists"},
    ]
    hit = make_work_hit(gate, account=account, requirements=rows)

    assert conditions_of(hit.batch) == [
        "Before your first task you are asked to read and to agree to what the study does.",
        "Once, you are asked some things about yourself. You need not answer any of them.",
        (
            "This work is for people who have passed “Solver test”. If you have, accept. If you have not: "
            "Look for “Ten words” on the platform to take it."
        ),
        "Of your earlier work more than 98 per cent were approved.",
        "You have more than 5,000 approved HITs.",
        "You are in one of these countries: US, GB.",
        "The platform asks for a further qualification; it says which one when you accept.",
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ["To pass: right: on average above 80 %.", "Each person has one attempt."]),
        (
            {"grading": "person", "retest_after_days": 30},
            [
                "A person grades what you submit.",
                "If you do not pass, you may try again after 30 days.",
            ],
        ),
    ],
    ids=["scores", "person"],
)
def test_conditions_of_a_test_say_what_it_takes(changes: dict[str, Any], said: list[str]) -> None:
    gate = make_gate(**changes)
    hit = make_test_hit(gate)

    assert conditions_of(hit.batch) == ["This is a test. Passing it opens more work to you.", *said]


def test_conditions_cost_three_queries() -> None:
    gate = make_gate()
    publish(gate.study)
    hit = make_work_hit(gate)

    with CaptureQueriesContext(connection) as asked:
        conditions_of(hit.batch)

    assert len(asked) == 3


@pytest.mark.parametrize("key", PRESETS)
def test_preset_makes_a_gate_that_is_valid(key: str) -> None:
    preset = PRESETS[key]
    names = ("name", "description", "test_task", "grading", "items")
    gate = Gate(study=make_study(), **{name: getattr(preset, name) for name in names})
    gate.opens, gate.rules = list(preset.opens), [dict(rule) for rule in preset.rules]

    gate.full_clean()

    assert (preset.key, len(gate.bounds) > 0) == (key, gate.grading == "scores")

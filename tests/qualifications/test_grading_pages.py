"""Tests that a person grades: claimed, seen, graded, changed; nothing twice, nothing without permission."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, RESEARCHER, REVIEWER, ROLES
from hits.studies.models import Study
from qualifications.models import Attempt, Gate
from qualifications.services.grading import grade_waiting
from qualifications.services.grading_queue import (
    LEASE,
    PATIENCE,
    claim_attempt,
    take_attempt,
    waiting_for_a_person,
)
from qualifications.services.test_attempts import follow_tests
from tests.factories import NOW, make_study, make_user
from tests.pages import text_of
from tests.people import client_of, make_member
from tests.qualifications.gates import (
    judge,
    make_candidate,
    make_gate,
    sit,
    toys,  # noqa: F401 - a fixture
    value_of,
)
from tests.qualifications.test_gate_admin import at, make_keeper

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
QUEUE = "/admin/qualifications/attempt/grading/"
GATES = Gate.objects.all()


def make_waiting(count: int, *, study: Study | None = None) -> list[Attempt]:
    """Make attempts that were submitted one after another."""
    gate = make_gate(study=study or make_study(), grading="person", rules=[], name="A walk")
    for number in range(count):
        make_candidate(gate, submitted_at=NOW + timedelta(minutes=number), answer={"right": "1"})
    follow_tests(now=NOW)
    return list(Attempt.objects.filter(gate=gate).order_by("pk"))


def grade(client: Client, attempt: Attempt, verdict: str, words: str = "", seen: str = "waiting") -> Any:
    sent = {"verdict": verdict, "words": words, "seen": seen}
    return client.post(at("grade", attempt.pk), sent, follow=True)


def test_grader_goes_through_the_queue() -> None:
    first, second = make_waiting(2)
    client = client_of(make_keeper(first.gate.study))

    page = client.get(QUEUE)
    assert page.context["attempt"] == first
    assert "<strong>2</strong> tests wait." in text_of(page)
    page = grade(client, first, "pass")
    assert page.context["attempt"] == second
    assert page.context["last"] == first
    page = grade(client, second, "fail", "The second step\nis missing.")

    assert page.context["attempt"] is None
    assert "All graded" in text_of(page)
    told = Attempt.objects.order_by("pk").values_list("status", "words")
    assert list(told) == [("passed", ""), ("failed", "The second step is missing.")]
    assert (value_of(first.gate, first.worker), value_of(second.gate, second.worker)) == (1, 0)


def test_grade_can_be_changed() -> None:
    [attempt] = make_waiting(1)
    client = client_of(make_keeper(attempt.gate.study))
    grade(client, attempt, "pass")

    again = client.get(f"{QUEUE}?at={attempt.pk}")
    grade(client, attempt, "fail", "It was copied.", seen="passed")

    assert again.context["attempt"] == attempt
    assert "Graded already" in text_of(again)
    assert (Attempt.objects.get().status, value_of(attempt.gate, attempt.worker)) == ("failed", 0)


def test_failing_needs_words_and_keeps_what_was_typed() -> None:
    [attempt] = make_waiting(1)
    client = client_of(make_keeper(attempt.gate.study))

    silent, long = grade(client, attempt, "fail"), grade(client, attempt, "fail", "x" * 501)

    assert (silent.status_code, long.status_code) == (409, 409)
    assert "x" * 501 in text_of(long)
    assert "the worker reads it" in text_of(silent)
    assert Attempt.objects.get().status == "waiting"


def test_two_graders_do_not_get_the_same_test() -> None:
    first, second = make_waiting(2)
    study = first.gate.study
    one, other = client_of(make_keeper(study)), client_of(make_keeper(study))

    opened = [client.get(QUEUE).context["attempt"] for client in (one, other, one)]
    third = client_of(make_keeper(study)).get(QUEUE)
    refused = grade(other, first, "pass")
    elsewhere = other.get(f"{QUEUE}?at={first.pk}", follow=True)

    assert opened == [first, second, first]
    assert third.context["attempt"] is None
    assert "Nothing for you now" in text_of(third)
    assert "with colleagues" in text_of(third)
    assert "Nothing was changed" in text_of(refused) or "A colleague has this test" in text_of(refused)
    assert "A colleague is grading this test now" in text_of(elsewhere)
    assert set(Attempt.objects.values_list("status", flat=True)) == {"waiting"}


def test_stale_page_grades_nothing() -> None:
    [attempt] = make_waiting(1)
    client = client_of(make_keeper(attempt.gate.study))
    grade(client, attempt, "pass")

    page = grade(client, attempt, "fail", "Too late.", seen="waiting")

    assert "Nothing was changed" in text_of(page)
    assert (Attempt.objects.get().status, Attempt.objects.get().words) == ("passed", "")


def test_skipped_test_comes_last_and_is_free_for_others() -> None:
    first, second = make_waiting(2)
    by, other = make_user(), make_user()

    taken = claim_attempt(gates=GATES, by=by, now=NOW)
    page = grade(client_of(make_keeper(first.gate.study)), second, "skip")
    after_skip = claim_attempt(gates=GATES, by=other, now=NOW + LEASE, after=first.pk)

    assert taken == first
    assert page.redirect_chain[0][0].endswith(f"?after={second.pk}")
    assert after_skip == second


def test_claim_ends_after_its_minutes() -> None:
    [attempt] = make_waiting(1)
    by, other = make_user(), make_user()

    assert take_attempt(attempt=attempt, by=by, now=NOW)
    assert not take_attempt(attempt=attempt, by=other, now=NOW + LEASE - timedelta(seconds=1))
    assert take_attempt(attempt=attempt, by=other, now=NOW + LEASE)


def test_test_graded_by_its_scores_is_in_no_queue_and_can_be_graded_by_hand() -> None:
    gate = make_gate()
    attempt = sit(gate, 0, 0)
    client = client_of(make_keeper(gate.study))

    queue, page = client.get(QUEUE), text_of(client.get(f"{QUEUE}?at={attempt.pk}"))
    grade(client, attempt, "pass", seen="failed")

    assert queue.context["attempt"] is None
    assert "✗ right: 0 %, above 80 % is needed" in page
    assert (Attempt.objects.get().status, value_of(gate, attempt.worker)) == ("passed", 1)


def test_roles_say_who_grades_and_who_keeps_gates() -> None:
    grade, keep = "qualifications.grade_attempt", "qualifications.change_gate"
    graders = {name for name, permissions in ROLES.items() if grade in permissions}
    keepers = {name for name, permissions in ROLES.items() if keep in permissions}

    assert graders == {RESEARCHER, REVIEWER, OPERATOR}
    assert keepers == {RESEARCHER, OPERATOR}
    for name in graders | {PAYMENTS_APPROVER}:
        codes = set(Group.objects.get(name=name).permissions.values_list("codename", flat=True))
        assert ("grade_attempt" in codes) == (name in graders)


def test_reviewer_grades_and_nobody_else_who_only_looks() -> None:
    [attempt] = make_waiting(1)
    study = attempt.gate.study
    reviewer, looker = make_member(REVIEWER, study), make_keeper(study, "view_attempt", "view_gate")

    refused = client_of(looker).post(at("grade", attempt.pk), {"verdict": "pass", "seen": "waiting"})
    assert (refused.status_code, Attempt.objects.get().status) == (403, "waiting")
    grade(client_of(reviewer), attempt, "pass")

    assert Attempt.objects.get().status == "passed"
    assert Attempt.objects.get().graded_at <= timezone.now()  # type: ignore[operator]


def test_test_that_lacks_scores_waits_for_a_person_after_a_while() -> None:
    gate = make_gate(items=3)
    lacking = make_candidate(gate, answer={"right": "1"})
    judge(lacking, 1, 1)
    make_candidate(gate, answer={"right": "1"})
    follow_tests(now=NOW)
    grade_waiting(now=NOW)
    early, late = (waiting_for_a_person(GATES, now=at) for at in (NOW + PATIENCE / 2, NOW + PATIENCE))

    assert not early.exists()
    assert [attempt.assignment for attempt in late] == [lacking]
    client = client_of(make_keeper(gate.study))
    page = client.get(QUEUE)
    assert "Its scores could not grade it." in text_of(page)
    grade(client, late[0], "pass")
    assert (value_of(gate, lacking.worker), late.all().exists()) == (1, False)

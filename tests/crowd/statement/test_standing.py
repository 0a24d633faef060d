"""A worker's standing in the statement: gates, tests and scores in words, of that worker alone."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from crowd.statement import statement_links
from hits.identity.models.blocks import Block
from hits.work.models.assignments import Assignment
from qualifications.models import Consent, ConsentText
from qualifications.services.gate_holdings import revoke
from qualifications.services.grading import grade_by_hand
from qualifications.services.test_attempts import follow_tests
from tests.factories import make_assignment, make_study, make_user
from tests.pages import text_of
from tests.qualifications.gates import (
    make_candidate,
    make_gate,
    make_test_hit,
    make_work_hit,
    sit,
    toys,  # noqa: F401 - a fixture
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]


def address(work: Assignment) -> str:
    token = statement_links.write_token(assignment=Assignment.objects.get(pk=work.pk), now=timezone.now())
    return f"/statement/{token}/standing/"


def read(client: Client, work: Assignment) -> str:
    page = client.get(address(work))
    assert page.status_code == 200
    return text_of(page)


def test_standing_tells_what_was_passed_and_what_is_next(client: Client) -> None:
    gate = make_gate(name="Reader test", description="Ten questions.")
    other = make_gate(study=gate.study, name="Writer test", test_task="toy.other")
    work = sit(gate, 1, 1).assignment
    assert work is not None
    make_test_hit(other, account=work.account, title="Write ten words")

    page = read(client, work)

    assert "✓</span> Passed" in page
    assert "You have passed “Reader test”." in page
    assert "Ten questions." in page
    assert "→</span> To do" in page
    assert "Look for “Write ten words” on the platform to take it." in page


def test_standing_tells_failing_kindly_with_the_average_and_when_to_try_again(client: Client) -> None:
    gate = make_gate(name="Reader test", retest_after_days=30)
    work = sit(gate, 1, 0, now=timezone.now()).assignment
    assert work is not None

    page = read(client, work)

    assert "Not passed" in page
    assert "Thank you for taking “Reader test”." in page
    assert "your average was 50 %, and above 80 % is needed." in page
    assert "You may try again from" in page


def test_standing_tells_that_a_test_waits_and_how_far_it_is(client: Client) -> None:
    gate = make_gate(items=10)
    work = make_candidate(gate)
    follow_tests(now=timezone.now())

    page = read(client, work)

    assert "Waiting" in page
    assert "0 of 10 parts are scored so far." in page


def test_standing_tells_a_persons_words(client: Client) -> None:
    gate = make_gate(grading="person", rules=[])
    work = make_candidate(gate)
    follow_tests(now=timezone.now())
    attempt = gate.attempts.get()
    words = "The second <step> is missing."
    grade_by_hand(attempt=attempt, passed=False, words=words, by=make_user(), now=timezone.now())

    assert "The second &lt;step&gt; is missing." in read(client, work)


def test_standing_tells_why_something_was_taken_back(client: Client) -> None:
    gate = make_gate()
    attempt = sit(gate, 1, 1)
    by = make_user(username="a-colleague")
    revoke(gate=gate, worker=attempt.worker, by=by, reason="Your answers were copied.", now=timezone.now())
    assert attempt.assignment is not None

    page = read(client, attempt.assignment)

    assert "Revoked" in page
    assert "Your answers were copied." in page
    assert "a-colleague" not in page


def test_standing_tells_what_was_agreed_to(client: Client) -> None:
    study = make_study()
    gate = make_gate(study=study)
    work = make_candidate(gate)
    text = ConsentText.objects.create(
        study=study, version=1, title="What we do", text="T.", published_at=timezone.now()
    )

    before = read(client, work)
    Consent.objects.create(text=text, worker=work.worker, given_at=timezone.now())

    assert "You are asked to read “What we do” before your next task" in before
    assert "You agreed to “What we do” on" in read(client, work)


def test_standing_is_of_one_worker_in_the_studies_that_this_worker_knows(client: Client) -> None:
    here, known, unknown = make_gate(name="Here"), make_gate(name="Known"), make_gate(name="Unknown")
    work = sit(here, 1, 1).assignment
    assert work is not None
    make_assignment(hit=make_work_hit(known, account=work.account), worker=work.worker, status="approved")
    failed = sit(unknown, 0, 0)

    page = read(client, work)

    assert "“Here”" in page
    assert "“Known”" in page
    assert "“Unknown”" not in page
    assert known.study.name in page
    assert failed.worker.pseudonym not in page


def test_standing_where_nothing_is_asked_says_so(client: Client) -> None:
    work = make_assignment(status="approved")
    make_gate(study=work.hit.batch.study, is_active=False)

    page = read(client, work)

    assert "Nothing to pass" in page
    assert "A task may still be meant for other people" in page


@pytest.mark.parametrize("kind", Block.Kind.values)
@pytest.mark.parametrize("has_gate", [True, False])
def test_standing_of_a_blocked_worker_promises_no_work_and_tells_no_reason(
    client: Client, kind: str, *, has_gate: bool
) -> None:
    work = make_assignment(status="approved")
    make_gate(study=work.hit.batch.study, is_active=has_gate)
    reason = "Copied from others."
    Block.objects.create(
        worker=work.worker, kind=kind, status="active", reason=reason, by=make_user(), made_at=timezone.now()
    )

    page = read(client, work)

    assert "No new work is offered to you here" in page
    assert "what you have handed in is decided on and paid as before" in page
    assert [
        words for words in ("Nothing to pass", "What is next", "Copied", "You may do") if words in page
    ] == []


def test_standing_needs_a_link_that_is_ours_and_not_too_old(client: Client) -> None:
    work = make_assignment(status="approved")
    old = statement_links.write_token(assignment=work, now=timezone.now() - timedelta(days=1))

    assert client.get("/statement/forged/standing/").status_code == 403
    assert client.get(f"/statement/{old}/standing/").status_code == 410
    assert client.post(address(work)).status_code == 405


def test_statement_leads_there(client: Client) -> None:
    work = make_assignment(status="approved")
    here = address(work)
    token = here.split("/")[2]

    for page in (f"/statement/{token}/", f"/statement/{token}/work/{work.public_id}/"):
        assert f'href="{here}"' in text_of(client.get(page))

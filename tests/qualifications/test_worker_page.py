"""Tests and consent on the page of a worker, for staff of the study alone."""

from datetime import timedelta
from fractions import Fraction

import pytest
from django.test import Client

from hits.families.entry_policies import words_for_staff
from hits.people.queries.open_work import judge, standing_batches
from hits.studies.models import Study
from qualifications.gate_policy import PASSED_ALREADY, _words
from qualifications.models import Attempt, Consent, Holding, SpokenEnglish, UnderAge
from qualifications.queries.gate_standing import PASSED
from qualifications.queries.worker_tests import STATES, find_tests
from tests.factories import NOW, make_consent_text, make_study, make_user, make_worker
from tests.hits.people.test_open_work import make_open, words_of
from tests.people import sign_in_with
from tests.qualifications.gates import WORK, code, make_gate, sit, toys  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
READER = (
    "view_worker",
    "view_assignment",
    "view_batch",
    "view_gate",
    "view_attempt",
    "view_holding",
    "view_consenttext",
)


@pytest.fixture
def study() -> Study:
    return make_study(name="Pictures")


def test_a_failed_test_is_shown_with_the_score_against_the_bar(client: Client, study: Study) -> None:
    gate = make_gate(study=study, name="Solver test")
    worker = make_worker()
    make_open(worker, study=study, title="Solve riddles")
    sit(gate, Fraction(58, 100), Fraction(58, 100), worker=worker)
    sign_in_with(client, *READER, studies=[study])

    words = words_of(client, worker)

    assert "Solver test Pictures Failed ✗ right: 58 %, above 80 % is needed" in words
    assert "Solve riddles Pictures May not because they have not passed the test" in words
    assert "Is being told" in words


def test_states_of_tests_are_those_that_decide(study: Study) -> None:
    gate = make_gate(study=study)
    worker, user = make_worker(), make_user(is_superuser=True)
    batch = make_open(worker, study=study)
    hit = batch.hits.get()

    (before,) = find_tests(worker, user)
    assert (before.state, before.at_provider, code(hit, worker)) == ("Not taken", "Nothing", "not_tested")

    sit(gate, 1, 1, worker=worker)
    (passed,) = find_tests(worker, user)
    assert (passed.state, code(hit, worker)) == ("Passed", "")
    Holding.objects.update(is_told=True, told=Holding.Value.PASSED)
    assert find_tests(worker, user)[0].at_provider == "Passed"

    Holding.objects.update(value=0, revoked_at=NOW, reason="Blank answers.", is_told=False, problem="No type")
    (revoked,) = find_tests(worker, user)
    assert (revoked.state, code(hit, worker)) == ("Passed, and taken back", "revoked")
    assert "Blank answers." in revoked.results
    assert revoked.at_provider == "Could not be told: No type"


def test_every_code_of_the_gates_has_a_clause_for_staff() -> None:
    codes = {
        *STATES,
        *(found for found, _ in _words(make_gate()).values()),
        PASSED_ALREADY,
    } - {PASSED}

    assert {code for code in codes if not words_for_staff(code)} == set()
    assert words_for_staff("something_else") == ""


def test_a_test_that_waits_says_how_far_it_is(study: Study) -> None:
    gate = make_gate(study=study)
    worker = make_worker()
    make_open(worker, study=study)
    Attempt.objects.create(gate=gate, worker=worker, status="waiting", started_at=NOW, handed_in_at=NOW)

    (test,) = find_tests(worker, make_user(is_superuser=True))

    assert test.state == "Submitted, waits for its grade"
    assert list(test.results) == ["0 of 2 parts are scored so far."]
    assert test.at == NOW


def test_gates_of_two_studies_do_not_stand_before_each_other(study: Study) -> None:
    """A test that opens a task in one study is no condition of another study's test."""
    worker = make_worker()
    other = make_study()
    make_gate(study=study, opens=["toy.test"], test_task="toy.first")
    mine = make_gate(study=other)
    make_open(worker, study=study)
    make_open(worker, study=other)

    found = next(one for one in find_tests(worker, make_user(is_superuser=True)) if one.gate == mine)

    assert "It opens as soon as" not in found.stand.next


def test_consents_are_shown_with_their_version_and_withdrawal(client: Client, study: Study) -> None:
    worker = make_worker()
    make_open(worker, study=study)
    sign_in_with(client, *READER, "see_all_studies")
    assert "No consent of this worker to a text of your studies is on record." in words_of(client, worker)
    text = make_consent_text(study=study, version=3)
    Consent.objects.create(worker=worker, text=text, given_at=NOW)
    assert f"Pictures 3 {NOW:%-d %b %Y, %H:%M} No" in words_of(client, worker)

    later = NOW + timedelta(days=1)
    Consent.objects.update(withdrawn_at=later, takes_work_out=True)

    assert f"{later:%-d %b %Y, %H:%M}, with the work" in words_of(client, worker)


def test_other_peoples_studies_and_rights_one_lacks_show_nothing(client: Client, study: Study) -> None:
    worker, others = make_worker(), make_study(name="Of others")
    sit(make_gate(study=others, name="Secret test"), 1, 1, worker=worker)
    Consent.objects.create(worker=worker, text=make_consent_text(study=others), given_at=NOW)
    mine = sit(make_gate(study=study, name="Solver test"), 1, 1, worker=worker)
    sign_in_with(client, *READER, studies=[study])
    words = words_of(client, worker)

    assert "Solver test" in words
    assert "Secret test" not in words
    assert "Of others" not in words
    assert mine.status == "passed"

    sign_in_with(client, *READER[:3], studies=[study])
    assert "Held at the provider" in words
    assert "Held at the provider" not in words_of(client, worker)


def test_what_workers_said_about_themselves_is_told_to_nobody(client: Client, study: Study) -> None:
    """The entry refuses who is under 18 or speaks no English, and the page of staff stays the same."""
    worker, user = make_worker(), make_user(is_superuser=True)
    batch = make_open(worker, study=study, english_speakers=True)
    sign_in_with(client, *READER, studies=[study])
    sit(make_gate(study=study), 1, 1, worker=worker)
    before = words_of(client, worker)

    UnderAge.objects.create(worker=worker, said_at=NOW)
    assert code(batch.hits.get(), worker) == "blocked"
    after_age = words_of(client, worker)
    UnderAge.objects.all().delete()
    SpokenEnglish.objects.create(worker=worker, answer="no", asked_at=NOW)
    assert code(batch.hits.get(), worker) == "blocked"

    assert before == after_age == words_of(client, worker)
    assert "May work" in before
    found = standing_batches(worker, user).get(pk=batch.pk)
    assert judge(found, worker=worker, now=NOW).may_work
    assert batch.task == WORK

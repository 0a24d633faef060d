"""What the page before a launch says of the consent in force and of the tests that are required."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from qualifications.admin.facts_before_work import tell_before_work
from tests.factories import NOW, make_account, make_batch, make_consent_text
from tests.pages import text_of
from tests.qualifications.platforms import TEST, make_gate

pytestmark = pytest.mark.django_db


def said(batch: Batch) -> dict[str, list[str]]:
    return {fact.name: list(fact.sentences) for fact in tell_before_work(batch)}


def make_published(**changes: Any) -> Batch:
    batch = make_batch()
    make_consent_text(study=batch.study, title="About this study", published_at=NOW, **changes)
    return batch


def test_consent_in_force_is_named_by_version_title_and_day() -> None:
    batch = make_published()

    assert said(batch)["Consent"] == [
        "Version 1, “About this study”, in force since 21 November 2026. Workers agree to it first."
    ]


def test_questions_about_the_person_are_named_where_they_are_asked() -> None:
    assert said(make_published(asks_demographics=True))["Consent"][1:] == [
        "They are also asked about themselves, once, and may leave out every question."
    ]


def test_a_draft_is_not_in_force() -> None:
    batch = make_batch()
    make_consent_text(study=batch.study, published_at=None)

    assert said(batch) == {
        "Consent": ["None: this study has no published text, and workers begin without agreeing to one."],
        "Tests": ["None: no test keeps anybody from this work."],
    }


def test_required_test_is_named_with_its_bar_and_whether_it_can_be_taken() -> None:
    gate = make_gate(name="Solver test", items=10)
    batch = make_batch(study=gate.study)
    bar = (
        "Required: “Solver test”, passed when the mean of ‘jaccard’ (agreement with the expected answers) "
        "over at least 10 items is above 80 %."
    )

    before = said(batch)["Tests"]
    make_batch(study=gate.study, account=batch.account, task=TEST, status="open", title="Ten words")

    closed = "No batch with this test is open on the account: whoever has not passed it yet cannot begin."
    assert before == [f"{bar} {closed}"]
    assert said(batch)["Tests"] == [f"{bar} It can be taken in “Ten words”."]


def test_a_test_says_what_it_opens() -> None:
    gate = make_gate(name="Solver test", items=10)

    [sentence] = said(make_batch(study=gate.study, task=TEST))["Tests"]

    assert sentence.startswith("This batch is itself the test “Solver test”")
    assert sentence.endswith("It opens: Association game: solve.")


def test_a_gate_that_is_off_and_one_of_another_study_are_not_required() -> None:
    gate = make_gate(is_active=False)
    make_gate()

    assert said(make_batch(study=gate.study))["Tests"] == ["None: no test keeps anybody from this work."]


def test_players_of_a_web_game_meet_neither() -> None:
    account = make_account(kind=Account.Kind.WEB)

    assert said(make_batch(account=account)) == {}


def test_step_people_of_a_draft_names_the_test_that_keeps_people_out(admin_client: Client) -> None:
    gate = make_gate(name="Solver test", items=10)
    batch = make_batch(study=gate.study)

    page = text_of(admin_client.get(reverse("admin:hits_batch_step", args=[batch.pk, "people"])))

    assert "Required: “Solver test”" in page
    assert f"{reverse('admin:qualifications_gate_changelist')}?study__id__exact={batch.study_id}" in page

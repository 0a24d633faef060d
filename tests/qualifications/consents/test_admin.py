"""Consent texts and counts of people in the admin: who may, what is shown, and what is confirmed first."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.workers import Worker
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, RESEARCHER, REVIEWER
from hits.studies.models import Study
from qualifications.models import Consent, ConsentText, Demographics, UnderAge
from qualifications.services import consenting, demographics
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_consent_text,
    make_hit,
    make_study,
    make_worker,
)
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
FORM = {"title": "About <us>", "text": "First.\n\nSecond <b>bold</b>.", "asks_demographics": "on"}


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:qualifications_{name}", args=args)


def test_researcher_drafts_reads_and_publishes(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    empty = client.get(at("consent", study.pk))
    writing = text_of(client.get(at("consent_draft", study.pk)))
    assert "Workers read that only figures about five or more people are ever shown to anybody" in writing
    saved = client.post(at("consent_draft", study.pk), FORM, follow=True)
    draft = ConsentText.objects.get()
    asked = client.get(at("consent_publish", draft.pk))
    done = client.post(at("consent_publish", draft.pk), dict(asked.context["hidden"]), follow=True)

    assert "Workers are not asked for consent yet." in text_of(empty)
    assert "<p>Second &lt;b&gt;bold&lt;/b&gt;.</p>" in text_of(saved)
    assert "a draft" in text_of(saved)
    assert "never changes, and cannot be taken away" in text_of(asked)
    assert "Version 1 is published" in text_of(done)
    assert "(in force)" in text_of(done)
    assert AuditEvent.objects.get().kind == "consent.published"


def test_publishing_is_asked_for_first_and_what_was_changed_is_read_anew(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)
    client.post(at("consent_draft", study.pk), FORM)
    draft = ConsentText.objects.get()
    seen = dict(client.get(at("consent_publish", draft.pk)).context["hidden"])["seen"]
    client.post(at("consent_draft", study.pk), {**FORM, "text": "Another one."})

    refused = client.post(at("consent_publish", draft.pk), {"seen": seen}, follow=True)

    assert "The draft was changed meanwhile." in text_of(refused)
    assert ConsentText.objects.get().published_at is None


def test_new_version_starts_from_the_one_in_force_and_tells_how_many_are_asked_again(client: Client) -> None:
    text = make_consent_text()
    sign_in(client, RESEARCHER, text.study)
    for _ in range(2):
        consenting.give_consent(worker=make_worker(), text=text, now=NOW)

    form = client.get(at("consent_draft", text.study.pk))
    client.post(at("consent_draft", text.study.pk), FORM)
    asked = client.get(at("consent_publish", ConsentText.objects.get(version=2).pk))

    assert "This is text number 1." in text_of(form)
    assert "also the 2 who agree to the version before" in text_of(asked)


def test_empty_draft_is_refused_and_nothing_is_lost(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    page = client.post(at("consent_draft", study.pk), {**FORM, "title": " "})

    assert (page.status_code, "Second &lt;b&gt;" in text_of(page)) == (422, True)
    assert not ConsentText.objects.exists()


def test_taken_back_is_listed_by_pseudonym_and_day(client: Client) -> None:
    text, worker = make_consent_text(), make_worker()
    consenting.give_consent(worker=worker, text=text, now=NOW)
    consenting.withdraw(worker=worker, study=text.study, takes_work_out=True, now=NOW)
    sign_in(client, RESEARCHER, text.study)

    page = client.get(at("withdrawn", text.study.pk))

    assert worker.pseudonym in text_of(page)
    assert worker.external_id not in text_of(page)
    assert "21 Nov 2026" in text_of(page)
    assert "is being taken out" in text_of(page)


def urls_of(text: ConsentText) -> list[str]:
    study = text.study.pk
    return [
        at("consent", study),
        at("consent_draft", study),
        at("withdrawn", study),
        at("people", study),
        at("consenttext_change", text.pk),
        at("consent_publish", text.pk),
    ]


def test_study_of_others_is_not_there(client: Client) -> None:
    text = make_consent_text()
    sign_in(client, RESEARCHER, make_study())

    assert {client.get(url).status_code for url in urls_of(text)} == {404}
    assert client.post(at("consent_draft", text.study.pk), FORM).status_code == 404
    assert ConsentText.objects.get().title == text.title
    assert text.title not in text_of(client.get(at("consenttext_changelist")))


@pytest.mark.parametrize("role", [REVIEWER, PAYMENTS_APPROVER])
def test_other_roles_see_and_do_nothing_of_it(client: Client, role: str) -> None:
    text = make_consent_text(published_at=None)
    sign_in(client, role, text.study)

    assert {client.get(url).status_code for url in urls_of(text)} == {403}
    seen = {"seen": consenting.digest_of(text)}
    assert client.post(at("consent_publish", text.pk), seen).status_code == 403
    assert ConsentText.objects.get().published_at is None


def known_worker(study: Study) -> Worker:
    return make_assignment(hit=make_hit(batch=make_batch(study=study, status="open"))).worker


def test_operator_erases_on_request_and_is_not_told_whether_there_was_anything(client: Client) -> None:
    study = make_study()
    told, silent = known_worker(study), known_worker(study)
    demographics.save_answers(worker=told, answers={"gender": "man"}, now=NOW)
    sign_in(client, OPERATOR)

    pages = [
        client.post(at("erase", study.pk), {"pseudonym": worker.pseudonym}, follow=True)
        for worker in (told, silent)
    ]
    unknown = client.post(at("erase", study.pk), {"pseudonym": "w-nobody"}, follow=True)

    for page, worker in zip(pages, (told, silent), strict=True):
        assert f"Whatever {worker.pseudonym} has said about themselves is erased." in text_of(page)
    assert "There is no worker w-nobody. Nothing was erased." in text_of(unknown)
    assert not Demographics.objects.exists()
    assert AuditEvent.objects.count() == 2


def test_researcher_may_not_erase(client: Client) -> None:
    study = make_study()
    worker = known_worker(study)
    demographics.save_answers(worker=worker, answers={"gender": "man"}, now=NOW)
    sign_in(client, RESEARCHER, study)

    refused = client.post(at("erase", study.pk), {"pseudonym": worker.pseudonym})

    assert (refused.status_code, Demographics.objects.count()) == (403, 1)
    assert not Consent.objects.exists()


def test_operator_lets_in_who_was_under_age_and_is_not_told_who_had_said_so(client: Client) -> None:
    study = make_study()
    young, silent = known_worker(study), known_worker(study)
    demographics.turn_away_minor(worker=young, study=study, now=NOW)
    sign_in(client, OPERATOR)

    pages = [
        client.post(at("lift", study.pk), {"pseudonym": worker.pseudonym, "reason": "18 now."}, follow=True)
        for worker in (young, silent)
    ]

    for page, worker in zip(pages, (young, silent), strict=True):
        assert f"Whatever {worker.pseudonym} has said of their age" in text_of(page)
    assert not UnderAge.objects.exists()
    assert [event.kind for event in AuditEvent.objects.all()] == ["demographics.age_lifted"] * 2
    assert "18 now." in AuditEvent.objects.latest("pk").words


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"reason": "Because."}, "This field is required."),
        ({"pseudonym": "w-nobody", "reason": "x"}, "There is no worker w-nobody. Nothing was changed."),
        ({}, "This field is required."),
    ],
)
def test_nobody_is_let_in_without_a_name_and_a_reason(
    client: Client, form: dict[str, str], words: str
) -> None:
    study = make_study()
    demographics.turn_away_minor(worker=known_worker(study), study=study, now=NOW)
    sign_in(client, OPERATOR)

    page = client.post(at("lift", study.pk), form, follow=True)

    assert words in text_of(page)
    assert (UnderAge.objects.count(), AuditEvent.objects.count()) == (1, 0)


def test_researcher_may_not_let_in(client: Client) -> None:
    study = make_study()
    worker = known_worker(study)
    demographics.turn_away_minor(worker=worker, study=study, now=NOW)
    sign_in(client, RESEARCHER, study)

    refused = client.post(at("lift", study.pk), {"pseudonym": worker.pseudonym, "reason": "18 now."})

    assert (refused.status_code, UnderAge.objects.count(), AuditEvent.objects.count()) == (403, 1, 0)

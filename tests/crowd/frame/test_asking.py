"""Consent and questions before the first task: who is asked, what counts as an answer, when to ask again."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.frame import visit_authentication
from crowd.winogavil.models import Association
from hits.core import crypto
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from qualifications.models import Consent, ConsentText, Demographics, UnderAge
from qualifications.queries.consents import versions_of, withdrawals_of
from qualifications.queries.funnel import funnel_of
from qualifications.services import consenting, demographics
from tests.crowd.frame.test_question import CLAIMS, SITE, right, send, ticket, token_of
from tests.factories import (
    make_account,
    make_association,
    make_batch,
    make_consent_text,
    make_hit,
    make_study,
    make_user,
)
from tests.pages import text_of

pytestmark = pytest.mark.django_db
ANSWERS = {"age": "34", "gender": "woman", "education": "master", "native_english": "yes"}


def open_hit(**changes: Any) -> HIT:
    study = make_study()
    make_association(study=study, cue="cold", size=5, chosen=2)
    account = make_account(worker_site=SITE, **changes)
    return make_hit(batch=make_batch(study=study, account=account, status="open"), external_id="HIT1")


@pytest.fixture
def hit() -> HIT:
    return open_hit()


@pytest.fixture
def text(hit: HIT) -> ConsentText:
    return make_consent_text(study=hit.batch.study)


def address(hit: HIT, **changes: str) -> str:
    query = {**CLAIMS, **({"ticket": ticket()} if hit.batch.account.ticket_key else {}), **changes}
    return f"/q/{hit.public_id}/?{urlencode(query)}"


def visit(client: Client, hit: HIT, **changes: str) -> Any:
    return client.get(address(hit, **changes))


def agree(client: Client, page: Any, **changes: str) -> Any:
    """Send the consent form as the page's own form does."""
    form = {
        "token": page.context["consent_token"],
        "text": str(page.context["text"].public_id),
        "agreed": "yes",
    }
    return client.post(page.context["action"], {**form, **changes})


def tell(client: Client, page: Any, **answers: str) -> Any:
    return client.post(page.context["action"], {"token": page.context["consent_token"], **answers})


def send_first(client: Client, hit: HIT, token: str) -> Any:
    association = Association.objects.order_by("pk")[0]
    picks = {str(association.item.public_id): sorted(association.chosen_keys)}
    return client.post(f"/q/{hit.public_id}/answer/", {"token": token, **picks})


def agreed() -> int:
    return Consent.objects.filter(withdrawn_at=None).count()


def test_preview_asks_for_nothing_and_says_so_in_advance(
    client: Client, hit: HIT, text: ConsentText, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "crowd.frame.question_pages.conditions_of", lambda _: ["First you are asked <one> thing."]
    )

    page = visit(client, hit, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="", ticket="")

    assert "Before you start" in text_of(page)
    assert "First you are asked &lt;one&gt; thing." in text_of(page)
    assert "practice example" in text_of(page)
    assert (Worker.objects.count(), Consent.objects.count()) == (0, 0)


def test_work_shows_the_consent_first_and_leases_nothing(client: Client, hit: HIT, text: ConsentText) -> None:
    page = visit(client, hit)

    shown = text_of(page)
    assert page.status_code == 200
    for part in (
        text.title,
        "This is text number 1.",
        "Version 1 of 21 Nov 2026",
        "Time left for this work",
    ):
        assert part in shown
    assert "I am 18 or older and I agree" in shown
    assert "It does not count against you, and nothing else changes." in shown
    assert "cold" not in shown
    assert not page.cookies
    assert (Assignment.objects.get().status, Lease.objects.count(), agreed()) == ("opened", 0, 0)


def test_agreeing_leads_to_the_work_by_the_same_address_and_keeps_the_deadline(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    page = visit(client, hit)
    before = Assignment.objects.get().deadline_at

    answer = agree(client, page)
    work = client.get(answer["Location"])

    assert (answer.status_code, answer["Location"].partition("?")[0]) == (303, f"/q/{hit.public_id}/")
    assert "cold" in text_of(work)
    assert Consent.objects.get().text == text
    assert Consent.objects.get().worker.external_id == "AWORKER"
    assert (Assignment.objects.get().deadline_at, Lease.objects.count()) == (before, 1)


def test_clicked_twice_in_two_tabs_and_after_going_back_it_is_one_consent(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    page, other_tab = visit(client, hit), visit(client, hit)

    answers = [agree(client, page), agree(client, page), agree(client, other_tab)]
    visit(client, hit)
    after_back = agree(client, page)

    assert {answer.status_code for answer in (*answers, after_back)} == {303}
    assert Consent.objects.count() == 1


@pytest.mark.parametrize("agreed_to", ["", "no", "on"])
def test_box_that_is_not_ticked_is_no_consent(
    client: Client, hit: HIT, text: ConsentText, agreed_to: str
) -> None:
    page = agree(client, visit(client, hit), agreed=agreed_to)

    assert page.status_code == 400
    assert "Please tick the box if you agree" in text_of(page)
    assert (agreed(), Lease.objects.count()) == (0, 0)


@pytest.mark.parametrize("token", ["", "x:y:z", "work", "another"])
def test_token_of_nobody_or_of_something_else_writes_nothing(
    client: Client, hit: HIT, text: ConsentText, token: str
) -> None:
    page = visit(client, hit)
    assignment = Assignment.objects.get()
    other = make_hit(batch=hit.batch)
    real = {
        "work": visit_authentication.write_token(assignment=assignment, submit_to=SITE),
        "another": page.context["consent_token"],
    }
    where = other if token == "another" else hit

    answer = client.post(
        f"/q/{where.public_id}/agree/",
        {"token": real.get(token, token), "text": str(text.public_id), "agreed": "yes"},
    )

    assert answer.status_code in (400, 403)
    assert agreed() == 0


def test_token_of_another_worker_agrees_for_that_worker_alone(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    page = visit(client, hit)
    other = {"assignmentId": "A2", "workerId": "AOTHER", "ticket": ticket(assignment="A2", worker="AOTHER")}
    visit(client, hit, **other)

    agree(client, page)

    assert Consent.objects.get().worker.external_id == "AWORKER"
    assert "I am 18 or older" in text_of(visit(client, hit, **other))


def test_consent_page_s_token_hands_in_no_work(client: Client, hit: HIT, text: ConsentText) -> None:
    token = visit(client, hit).context["consent_token"]

    answer = send(client, hit, token, right())
    beat = client.post(f"/q/{hit.public_id}/beat/", {"token": token})

    assert (answer.status_code, beat.status_code) == (403, 403)
    assert (Assignment.objects.get().status, Assignment.objects.get().answer) == ("opened", None)


def test_token_of_the_release_before_still_hands_in_its_work(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    old = crypto.read_page(token_of(page))
    del old["for"]

    assert send(client, hit, crypto.sign_page(old), right()).status_code == 200


def test_expired_consent_page_writes_nothing(client: Client, hit: HIT, text: ConsentText) -> None:
    page = visit(client, hit)
    later = timezone.now() + timedelta(hours=1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crowd.frame.before_work.timezone.now", lambda: later)
        answer = agree(client, page)

    assert (answer.status_code, agreed()) == (410, 0)


def test_text_that_was_replaced_while_it_was_read_is_read_again(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    page = visit(client, hit)
    newer = make_consent_text(study=hit.batch.study)

    answer = agree(client, page)

    assert answer.status_code == 409
    assert "The text has changed meanwhile" in text_of(answer)
    assert "This is text number 2." in text_of(answer)
    assert agreed() == 0
    assert agree(client, answer).status_code == 303
    assert Consent.objects.get().text == newer


def test_new_version_asks_again_but_not_in_the_middle_of_work(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    agree(client, visit(client, hit))
    token = token_of(visit(client, hit))
    make_consent_text(study=hit.batch.study)
    make_association(study=hit.batch.study)
    next_one = {"assignmentId": "A2", "hitId": "HIT9", "ticket": ticket(assignment="A2", hit="HIT9")}

    same = visit(client, hit)
    handed_in = send_first(client, hit, token)
    new = visit(client, make_hit(batch=hit.batch, external_id="HIT9"), **next_one)

    assert "cold" in text_of(same)
    assert handed_in.status_code == 200
    assert "This is text number 2." in text_of(new)


def test_draft_asks_nobody_and_the_text_before_it_counts(client: Client, hit: HIT, text: ConsentText) -> None:
    make_consent_text(study=hit.batch.study, published_at=None)
    make_consent_text()

    agree(client, visit(client, hit))

    assert "cold" in text_of(visit(client, hit))
    assert Consent.objects.get().text == text


def test_consent_taken_back_asks_again_only_before_new_work(
    client: Client, hit: HIT, text: ConsentText
) -> None:
    agree(client, visit(client, hit))
    token = token_of(visit(client, hit))
    consenting.withdraw(
        worker=Worker.objects.get(), study=hit.batch.study, takes_work_out=True, now=timezone.now()
    )

    assert "cold" in text_of(visit(client, hit))
    assert send_first(client, hit, token).status_code == 200


def test_visit_that_waits_for_the_platform_s_word_is_asked_nothing(client: Client) -> None:
    hit = open_hit(ticket_key="", notify_by="sns")
    type(hit.batch).objects.update(notified_at=timezone.now())
    make_consent_text(study=hit.batch.study)

    page = visit(client, hit)

    assert page.status_code == 202
    assert "18 or older" not in text_of(page)
    assert (Worker.objects.count(), Consent.objects.count()) == (0, 0)


def test_study_without_a_text_asks_for_nothing(client: Client, hit: HIT) -> None:
    assert "cold" in text_of(visit(client, hit))


def test_consent_costs_one_query_when_everything_is_agreed(
    client: Client, hit: HIT, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_consent_text(study=hit.batch.study, asks_demographics=True)
    for _ in range(2):
        make_association(study=hit.batch.study)
    agree(client, visit(client, hit))
    tell(client, visit(client, hit), skip="yes")
    visit(client, hit)  # asks for what is looked up once in the life of a process
    counts = []
    for number in (2, 3):
        other = make_hit(batch=hit.batch, external_id=f"HIT{number}")
        claims = {"assignmentId": f"A{number}", "hitId": other.external_id}
        claims["ticket"] = ticket(assignment=f"A{number}", hit=other.external_id)
        with CaptureQueriesContext(connection) as queries:
            assert token_of(visit(client, other, **claims))
        counts.append(len(queries))
        monkeypatch.setattr("crowd.frame.question_pages.before_work.ask_first", lambda *_, **__: None)

    assert counts[0] - counts[1] == 1


# The questions about the person.


@pytest.fixture
def asking(hit: HIT) -> ConsentText:
    return make_consent_text(study=hit.batch.study, asks_demographics=True)


def test_questions_come_after_the_consent_and_before_the_work(
    client: Client, hit: HIT, asking: ConsentText
) -> None:
    agree(client, visit(client, hit))
    page = visit(client, hit)

    answer = tell(client, page, **ANSWERS)
    work = client.get(answer["Location"])

    assert page.context["form"].initial == {}
    assert text_of(page).count("I’d rather not say") == 3
    assert "cold" not in text_of(page)
    assert "cold" in text_of(work)
    assert Demographics.objects.get().answers == (
        '{"age": 34, "education": "master", "gender": "woman", "native_english": "yes"}'
    )


@pytest.mark.parametrize("answers", [{"skip": "yes", **ANSWERS}, {}, {"age": "", "gender": ""}])
def test_every_question_may_be_declined(
    client: Client, hit: HIT, asking: ConsentText, answers: dict[str, str]
) -> None:
    agree(client, visit(client, hit))

    tell(client, visit(client, hit), **answers)

    assert Demographics.objects.get().answers == ""
    assert "cold" in text_of(visit(client, hit))


def test_questions_are_asked_once_over_all_studies(client: Client, hit: HIT, asking: ConsentText) -> None:
    page = visit(client, hit)
    agree(client, page)
    questions = visit(client, hit)
    tell(client, questions, **ANSWERS)

    again = tell(client, questions, age="99")
    other = make_study()
    make_association(study=other, cue="warm")
    elsewhere = make_hit(
        batch=make_batch(study=other, account=hit.batch.account, status="open"), external_id="HIT5"
    )
    make_consent_text(study=other, asks_demographics=True)
    claims = {"assignmentId": "A5", "hitId": "HIT5", "ticket": ticket(assignment="A5", hit="HIT5")}
    agree(client, visit(client, elsewhere, **claims))

    assert again.status_code == 303
    assert '"age": 34' in Demographics.objects.get().answers
    assert "warm" in text_of(visit(client, elsewhere, **claims))


@pytest.mark.parametrize("age", ["17", "1"])
def test_whoever_is_under_age_is_told_kindly_and_no_age_is_kept(
    client: Client, hit: HIT, asking: ConsentText, age: str
) -> None:
    agree(client, visit(client, hit))

    page = tell(client, visit(client, hit), **{**ANSWERS, "age": age})

    assert page.status_code == 403
    assert "This work is only for adults" in text_of(page)
    assert (Demographics.objects.count(), agreed(), Lease.objects.count()) == (0, 0, 0)
    assert UnderAge.objects.values_list("worker", flat=True).get() == Worker.objects.get().pk


def test_whoever_is_under_age_took_no_consent_back(client: Client, hit: HIT, asking: ConsentText) -> None:
    agree(client, visit(client, hit))

    tell(client, visit(client, hit), age="17")
    again = visit(client, hit)

    [version] = versions_of(hit.batch.study)
    assert (version.agreed, version.withdrew, withdrawals_of(hit.batch.study).count()) == (0, 0, 0)
    assert funnel_of(hit.batch.study, days=None, now=timezone.now()).withdrew == 0
    assert "This work is only for adults" in text_of(again)


def test_consent_of_a_minor_under_which_work_was_begun_stays_on_record_as_withdrawn(
    client: Client, hit: HIT
) -> None:
    text = make_consent_text(study=hit.batch.study)
    agree(client, visit(client, hit))
    visit(client, hit)

    demographics.turn_away_minor(worker=Worker.objects.get(), study=hit.batch.study, now=timezone.now())

    assert Consent.objects.get().text == text
    assert withdrawals_of(hit.batch.study).count() == 1


def test_another_answer_under_age_changes_nothing_in_any_tab(
    client: Client, hit: HIT, asking: ConsentText
) -> None:
    consent = visit(client, hit)
    agree(client, consent)
    questions = visit(client, hit)
    tell(client, questions, age="17")

    pages = [
        visit(client, hit),
        client.post(*sent(questions, age="25"), follow=True),
        client.post(*sent(questions, skip="yes"), follow=True),
        client.post(*sent(consent, agreed="yes", text=str(asking.public_id)), follow=True),
    ]

    assert [page.status_code for page in pages] == [403] * 4
    assert all("This work is only for adults" in text_of(page) for page in pages)
    assert (Demographics.objects.count(), agreed(), Lease.objects.count()) == (0, 0, 0)


def test_whoever_is_under_age_begins_nothing_elsewhere_and_finishes_what_was_begun(
    client: Client, hit: HIT
) -> None:
    begun = token_of(visit(client, hit))
    other = make_study()
    make_association(study=other, cue="warm")
    batch = make_batch(study=other, account=hit.batch.account, status="open")
    elsewhere = make_hit(batch=batch, external_id="HIT5")
    demographics.turn_away_minor(worker=Worker.objects.get(), study=hit.batch.study, now=timezone.now())

    claims = {"assignmentId": "A5", "hitId": "HIT5", "ticket": ticket(assignment="A5", hit="HIT5")}
    refused = visit(client, elsewhere, **claims)
    handed_in = send_first(client, hit, begun)

    assert "this work is only for adults" in text_of(refused)
    assert Assignment.objects.filter(hit=elsewhere).count() == 0
    assert (handed_in.status_code, Assignment.objects.get().status) == (200, "saved")


def test_whoever_is_let_in_again_is_asked_again(client: Client, hit: HIT, asking: ConsentText) -> None:
    agree(client, visit(client, hit))
    tell(client, visit(client, hit), age="17")
    worker, by = Worker.objects.get(), make_user()

    demographics.let_in_again(
        worker=worker, study=hit.batch.study, reason="A typing error.", by=by, now=timezone.now()
    )
    agree(client, visit(client, hit))
    tell(client, visit(client, hit), age="71")

    assert "cold" in text_of(visit(client, hit))
    assert not UnderAge.objects.exists()


def sent(page: Any, **answers: str) -> tuple[str, dict[str, str]]:
    """Address and form of a page that was loaded earlier."""
    return page.context["action"], {"token": page.context["consent_token"], **answers}


@pytest.mark.parametrize(
    "answers",
    [{"age": "121"}, {"age": "-3"}, {"age": "0"}, {"age": "old"}, {"gender": "\x00"}, {"education": "none"}],
    ids=["121", "negative", "zero", "words", "nul", "unknown"],
)
def test_answer_that_the_page_does_not_offer_is_asked_again(
    client: Client, hit: HIT, asking: ConsentText, answers: dict[str, str]
) -> None:
    agree(client, visit(client, hit))

    page = tell(client, visit(client, hit), **{**ANSWERS, **answers})

    assert page.status_code == 400
    assert page.context["form"].errors
    assert (Demographics.objects.count(), agreed()) == (0, 1)


@pytest.mark.parametrize("age", ["18", "120"])
def test_ages_at_the_bounds_are_taken(client: Client, hit: HIT, asking: ConsentText, age: str) -> None:
    agree(client, visit(client, hit))

    tell(client, visit(client, hit), age=age)

    assert Demographics.objects.get().answers == f'{{"age": {age}}}'


def test_questions_cannot_be_answered_before_the_consent(
    client: Client, hit: HIT, asking: ConsentText
) -> None:
    token = visit(client, hit).context["consent_token"]

    answer = client.post(f"/q/{hit.public_id}/tell/", {"token": token, **ANSWERS})

    assert (answer.status_code, Demographics.objects.count()) == (303, 0)

"""Whether a worker speaks English, asked where a batch needs it: the worker's own word, not a country."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.services.eligibility import refuse_entry
from qualifications.models import Demographics, RefusalCount, SpokenEnglish
from qualifications.queries.conditions import conditions_of
from qualifications.services import demographics
from tests.crowd.frame.test_asking import agree, open_hit, tell, visit
from tests.crowd.frame.test_question import ticket
from tests.factories import NOW, make_consent_text, make_hit, make_worker
from tests.pages import text_of

pytestmark = pytest.mark.django_db
ASKED = "Do you speak English well enough to read and write it with ease?"


@pytest.fixture
def hit() -> HIT:
    return english_only(open_hit())


def english_only(hit: HIT) -> HIT:
    Batch.objects.filter(pk=hit.batch_id).update(english_speakers=True)
    hit.refresh_from_db()
    return hit


def say(client: Client, page: Any, english: str = "") -> Any:
    form = {"token": page.context["consent_token"], "english": english}
    return client.post(page.context["action"], form)


def test_worker_who_has_not_said_is_asked_before_anything_is_leased(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    assert page.status_code == 200
    assert ASKED in text_of(page)
    assert "It does not matter where you live" in text_of(page)
    assert (Lease.objects.count(), SpokenEnglish.objects.count()) == (0, 0)


def test_yes_leads_to_the_work_and_is_asked_once(client: Client, hit: HIT) -> None:
    answer = say(client, visit(client, hit), "yes")

    work = client.get(answer["Location"])

    assert (work.status_code, ASKED in text_of(work), Lease.objects.count()) == (200, False, 1)
    assert speaks() == ["yes"]
    assert ASKED not in text_of(visit(client, hit))


def test_no_ends_there(client: Client, hit: HIT) -> None:
    answer = say(client, visit(client, hit), "no")

    end = client.get(answer["Location"])

    assert (end.status_code, Lease.objects.count()) == (403, 0)
    assert "other work stays open to you" in text_of(end)
    assert not RefusalCount.objects.exists()


def test_refusal_of_the_next_hit_is_counted_as_a_block_so_that_it_does_not_reveal_why(
    client: Client, hit: HIT
) -> None:
    say(client, visit(client, hit), "no")

    other = make_hit(batch=hit.batch, external_id="HIT2")
    page = visit(client, other, assignmentId="A2", hitId="HIT2", ticket=ticket(assignment="A2", hit="HIT2"))

    assert (page.status_code, Lease.objects.count()) == (403, 0)
    assert "this work needs people who do" in text_of(page)
    assert [row.code for row in RefusalCount.objects.all()] == ["blocked"]


def test_other_work_asks_for_nothing(client: Client) -> None:
    hit = open_hit()

    page = visit(client, hit)

    assert (page.status_code, ASKED in text_of(page), Lease.objects.count()) == (200, False, 1)


def test_who_does_not_speak_english_may_do_other_work() -> None:
    worker = make_worker()
    demographics.save_english(worker=worker, speaks=False, now=NOW)

    refuse_entry(hit=open_hit(), worker=worker, now=NOW)


@pytest.mark.parametrize("sent", ["", "maybe"])
def test_nothing_chosen_is_asked_again_and_nothing_is_kept(client: Client, hit: HIT, sent: str) -> None:
    page = say(client, visit(client, hit), sent)

    assert (page.status_code, SpokenEnglish.objects.count()) == (400, 0)
    assert "Please choose an answer." in text_of(page)


def test_first_answer_stays(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    say(client, page, "no")

    say(client, page, "yes")

    assert speaks() == ["no"]


def test_consent_and_the_questions_about_the_person_come_first(client: Client, hit: HIT) -> None:
    make_consent_text(study=hit.batch.study, asks_demographics=True)
    agree(client, visit(client, hit))

    person = visit(client, hit)
    tell(client, person, native_english="")

    assert ASKED not in text_of(person)
    assert ASKED in text_of(visit(client, hit))


@pytest.mark.parametrize(("native", "asked"), [("yes", False), ("no", True), ("", True)])
def test_only_native_speakers_are_not_asked_once_more(
    client: Client, hit: HIT, native: str, asked: bool
) -> None:
    make_consent_text(study=hit.batch.study, asks_demographics=True)
    agree(client, visit(client, hit))
    tell(client, visit(client, hit), native_english=native)

    assert (ASKED in text_of(visit(client, hit))) is asked


def test_question_cannot_be_answered_before_the_consent(client: Client, hit: HIT) -> None:
    page = visit(client, hit)
    make_consent_text(study=hit.batch.study)

    say(client, page, "yes")

    assert not SpokenEnglish.objects.exists()


def test_token_of_the_question_submits_no_work(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["consent_token"]})

    assert Assignment.objects.get().status == "opened"


def test_work_that_has_begun_goes_on(client: Client) -> None:
    hit = open_hit()
    visit(client, hit)

    page = visit(client, english_only(hit))

    assert (page.status_code, ASKED in text_of(page)) == (200, False)


def test_answer_is_sealed_and_erased_with_the_others(client: Client) -> None:
    worker = make_worker()
    demographics.save_answers(worker=worker, answers={"age": 30}, now=NOW)
    demographics.save_english(worker=worker, speaks=False, now=NOW)

    erased = demographics.erase(worker=worker)

    assert (erased, SpokenEnglish.objects.exists(), Demographics.objects.exists()) == (True, False, False)


def test_preview_says_so_in_advance(hit: HIT) -> None:
    assert conditions_of(hit.batch)[0] == (
        "This work is for people who speak English. You are asked once whether you do."
    )
    Batch.objects.update(english_speakers=False)
    hit.refresh_from_db()
    assert "English" not in " ".join(conditions_of(hit.batch))


def speaks() -> list[str]:
    assert all(row.asked_at <= timezone.now() for row in SpokenEnglish.objects.all())
    return [row.answer for row in SpokenEnglish.objects.all()]

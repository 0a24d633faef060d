"""Pages on which a worker reads their consent, withdraws it, and erases what they said about themselves."""

import pytest
from django.test import Client
from django.utils import timezone

from crowd.statement import statement_links
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from qualifications.models import Consent, ConsentText, Demographics
from qualifications.services import consenting, demographics
from tests.factories import NOW, make_consent_text, make_study, make_worker
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def text() -> ConsentText:
    return make_consent_text()


@pytest.fixture
def worker(text: ConsentText) -> Worker:
    worker = make_worker()
    consenting.give_consent(worker=worker, text=text, now=NOW)
    return worker


def address(worker: Worker, study: Study) -> str:
    token = statement_links.write_token_for(worker=worker, study=study, now=timezone.now())
    return f"/statement/{token}/consent/"


def test_page_tells_what_is_kept_of_somebody_under_age_and_erasing_does_not_end_it(
    client: Client, worker: Worker, text: ConsentText
) -> None:
    demographics.turn_away_minor(worker=worker, study=text.study, now=NOW)

    client.post(address(worker, text.study), {"deed": "erase"})

    assert "You told us that you are under 18." in text_of(client.get(address(worker, text.study)))


def test_page_tells_what_was_agreed_to_and_when(client: Client, worker: Worker, text: ConsentText) -> None:
    page = client.get(address(worker, text.study))

    for part in (text.title, "Version 1: you agreed on 21 Nov 2026.", "In force", "This is text number 1."):
        assert part in text_of(page)
    assert "Nothing is stored." in text_of(page)
    assert "no-store" in page["Cache-Control"]
    assert not page.cookies


def test_page_of_a_worker_who_agreed_to_nothing_says_so(client: Client) -> None:
    page = client.get(address(make_worker(), make_study()))

    assert (page.status_code, "Nothing yet" in text_of(page)) == (200, True)


@pytest.mark.parametrize(("work", "is_out"), [("stays", False), ("out", True), ("", False)])
def test_agreement_is_taken_back_after_a_question_and_once(
    client: Client, worker: Worker, text: ConsentText, work: str, *, is_out: bool
) -> None:
    where = address(worker, text.study)
    form = {"deed": "withdraw", "study": str(text.study.public_id), "work": work}

    asked = client.get(f"{where}?withdraw={text.study.public_id}")
    done = [client.post(where, form, follow=True) for _ in range(2)]

    assert "You need no reason." in text_of(asked)
    assert ["Your consent is withdrawn." in text_of(page) for page in done] == [True, True]
    consent = Consent.objects.get()
    assert (consent.withdrawn_at is not None, consent.takes_work_out) == (True, is_out)


def test_work_can_be_taken_out_after_the_agreement_was_taken_back(
    client: Client, worker: Worker, text: ConsentText
) -> None:
    consenting.withdraw(worker=worker, study=text.study, takes_work_out=False, now=NOW)
    where = address(worker, text.study)

    asked = client.get(f"{where}?withdraw={text.study.public_id}")
    client.post(where, {"deed": "withdraw", "study": str(text.study.public_id), "work": "out"})

    assert "Take your work out of the data?" in text_of(asked)
    assert Consent.objects.get().takes_work_out
    assert "being taken out" in text_of(client.get(where))


def test_what_was_told_is_erased_and_never_shown(client: Client, worker: Worker, text: ConsentText) -> None:
    demographics.save_answers(worker=worker, answers={"education": "doctorate"}, now=NOW)
    where = address(worker, text.study)

    shown = client.get(where)
    done = [client.post(where, {"deed": "erase"}, follow=True) for _ in range(2)]

    assert "On 21 Nov 2026 you were asked" in text_of(shown)
    assert "doctorate" not in text_of(shown).lower()
    assert ["is erased" in text_of(page) for page in done] == [True, True]
    assert not Demographics.objects.exists()
    assert Consent.objects.get().withdrawn_at is None


@pytest.mark.parametrize("study_id", ["", "x", "\x00", "another"])
def test_study_that_was_not_agreed_to_changes_nothing(
    client: Client, worker: Worker, text: ConsentText, study_id: str
) -> None:
    where = address(worker, text.study)
    named = str(make_consent_text().study.public_id) if study_id == "another" else study_id

    page = client.post(where, {"deed": "withdraw", "study": named, "work": "out"})

    assert page.status_code == 403
    assert Consent.objects.get().withdrawn_at is None


def test_forged_link_changes_nothing(client: Client, worker: Worker, text: ConsentText) -> None:
    demographics.save_answers(worker=worker, answers={"age": 97}, now=NOW)
    forged = address(worker, text.study).replace("/consent/", "x/consent/")

    pages = [
        client.get(forged),
        client.post(forged, {"deed": "erase"}),
        client.post(forged, {"deed": "withdraw", "study": str(text.study.public_id)}),
    ]

    assert {page.status_code for page in pages} == {403}
    assert Demographics.objects.exists()
    assert Consent.objects.get().withdrawn_at is None


def test_one_worker_s_link_takes_nothing_of_another_back(
    client: Client, worker: Worker, text: ConsentText
) -> None:
    other = make_worker()
    consenting.give_consent(worker=other, text=text, now=NOW)

    client.post(address(other, text.study), {"deed": "withdraw", "study": str(text.study.public_id)})

    assert Consent.objects.get(withdrawn_at=None).worker == worker


def test_answer_about_english_is_told_and_erased(client: Client, worker: Worker, text: ConsentText) -> None:
    demographics.save_english(worker=worker, speaks=False, now=NOW)

    page = client.get(address(worker, text.study))
    client.post(address(worker, text.study), {"deed": "erase"})

    assert "On 21 Nov 2026 you were asked whether you speak English." in text_of(page)
    assert "Erase what I told about myself" in text_of(page)
    assert "Nothing is stored." in text_of(client.get(address(worker, text.study)))

"""A worker reports a problem to those who run the marketplace, and reads the answer there."""

from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment, Complaint
from crowd.marketplace.services import reviewing
from crowd.marketplace.services.oversight import complaints
from crowd.marketplace.site import report_pages
from tests.crowd.marketplace.desk import make_operator
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    group_path,
    open_hit,
    signed_in,
    stranger,
    text_of,
    work_path,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db
WORDS = "It asks for my address."


def path_of(hit: HIT) -> str:
    return f"/hits/{hit}/report/"


def send(browser: Browser, hit: HIT, *, kind: str = "personal", text: str = WORDS) -> Any:
    return browser.client.post(path_of(hit), {"kind": kind, "text": text})


@pytest.fixture
def refused(browser: Browser) -> Assignment:
    now = timezone.now()
    done = hand_in(open_hit(title="Colors"), worker=browser.worker, now=now)
    reviewing.reject_assignment(assignment=done, feedback="Wrong.", now=now)
    return done


def test_preview_work_and_refused_work_lead_to_the_report(browser: Browser, refused: Assignment) -> None:
    previewed, begun = open_hit(), open_hit()
    places = {
        group_path(previewed): previewed,
        work_path(accepted(browser, begun)): begun,
        work_path(refused): refused.hit,
    }

    pages = {path: browser.get(path).content.decode() for path in places}

    assert [path for path, hit in places.items() if f'href="{path_of(hit)}"' not in pages[path]] == []
    assert "if the requester does not answer, or the HIT asks for what it should not" in " ".join(
        pages[work_path(refused)].split()
    )
    assert f"Id of this work: {refused}" in text_of(browser.get(work_path(refused)))


def test_report_is_sent_for_the_hit_and_ones_own_work(browser: Browser, refused: Assignment) -> None:
    answer = send(browser, refused.hit)

    sent = text_of(browser.get(answer["Location"]))
    complaint = Complaint.objects.get()
    assert (complaint.worker, complaint.hit, complaint.assignment) == (browser.worker, refused.hit, refused)
    assert (complaint.kind, complaint.text) == ("personal", WORDS)
    assert "Sent to those who run this marketplace." in sent
    assert f"It asks for personal data. {WORDS} It is not answered yet." in sent


def test_second_report_says_so_and_shows_the_first(browser: Browser) -> None:
    hit = open_hit()
    send(browser, hit)

    answer = send(browser, hit, text="Another word.")

    text = text_of(answer)
    assert (answer.status_code, Complaint.objects.count()) == (409, 1)
    assert "You have reported this already, as below. Nothing was sent a second time." in text
    assert (WORDS in text, 'name="text"' in answer.content.decode()) == (True, False)


def test_two_reports_of_the_same_moment_are_one(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    hit = open_hit()
    send(browser, hit)
    monkeypatch.setattr(report_pages, "complaints_about", lambda *_, **__: [])

    answer = send(browser, hit, text="Another word.")

    monkeypatch.undo()
    assert "You have reported this already" in text_of(browser.get(answer["Location"]))
    assert Complaint.objects.count() == 1


def test_answer_stands_at_the_work_and_another_report_may_follow(
    browser: Browser, refused: Assignment
) -> None:
    send(browser, refused.hit)
    complaints.answer_complaint(
        complaint=Complaint.objects.get(),
        answer="We wrote to them.",
        operator=make_operator(),
        now=timezone.now(),
    )

    pages = [browser.get(work_path(refused)), browser.get(path_of(refused.hit))]
    message = text_of(browser.get(f"/messages/{browser.worker.messages.get().pk}/"))

    assert ["We wrote to them." in text_of(page) for page in pages] == [True, True]
    assert 'name="text"' in pages[1].content.decode()
    assert "From those who run this marketplace" in message
    assert "Those who run this marketplace, " in text_of(browser.get("/messages/"))


@pytest.mark.parametrize(
    ("kind", "text"), [("", WORDS), ("odd", WORDS), ("other", " "), ("other", "x" * 2001), ("other", "a\0b")]
)
def test_report_without_a_kind_or_with_senseless_words_is_not_sent(
    browser: Browser, kind: str, text: str
) -> None:
    answer = send(browser, open_hit(), kind=kind, text=text)

    assert (answer.status_code, Complaint.objects.count()) == (422, 0)


def test_work_that_a_worker_may_not_see_cannot_be_reported(browser: Browser) -> None:
    needed = {
        "QualificationTypeId": "000000000000000000L0",
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [101],
        "ActionsGuarded": "PreviewAndAccept",
    }
    hidden = open_hit(requester=make_requester(now=timezone.now()).requester, requirements=[needed])

    answers = [send(browser, hidden), browser.get("/hits/NOBODY/report/"), stranger().get(path_of(hidden))]

    assert [answer.status_code for answer in answers] == [404, 404, 403]
    assert not Complaint.objects.exists()


def test_other_workers_reports_are_not_shown(browser: Browser) -> None:
    hit = open_hit()
    send(browser, hit)

    assert WORDS not in text_of(signed_in().get(path_of(hit)))


@pytest.mark.usefixtures("one_window")
@override_settings(MARKETPLACE_WORKER_RATE=0)
def test_a_worker_reports_so_often_in_an_hour(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    hits = [open_hit(requester=requester) for _ in range(report_pages.MOST_REPORTS + 1)]

    answers = [send(browser, hit).status_code for hit in hits]

    assert answers == [302] * report_pages.MOST_REPORTS + [429]
    assert Complaint.objects.count() == report_pages.MOST_REPORTS

"""List, preview, work, queue and history, as a signed-in worker sees them."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.core import signing
from django.utils import timezone

from crowd.marketplace import queries, seals
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import work
from tests.crowd.marketplace.rows import facts, hand_in, status_of
from tests.crowd.marketplace.site import (
    FRAME,
    Browser,
    accepted,
    frame_url,
    group_path,
    open_hit,
    query_of,
    signed_in,
    submit_path,
    text_of,
    work_path,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db

EMPTY = {
    "/": "There is no work for you right now.",
    "/?q=x": "No open work matches “x”.",
    "/?mine=1": "There is no open work that you can accept.",
    "/work/": "You have no accepted work that is still open. Find work",
    "/history/": "You have submitted no work yet. Find work",
    "/history/?q=x": "No submitted work matches this search.",
    "/earnings/": "Nothing has been paid out yet.",
    "/messages/": "No messages. Requesters whose work you did can write to you here.",
}


def handed_in(browser: Browser, hit: HIT) -> Assignment:
    return hand_in(hit, worker=browser.worker, now=timezone.now())


def test_empty_pages_say_what_to_do(browser: Browser) -> None:
    pages = {path: text_of(browser.get(path)) for path in EMPTY}

    assert [path for path, said in EMPTY.items() if said not in pages[path]] == []


def test_preview_frames_the_question_without_worker_ticket_or_assignment(browser: Browser) -> None:
    hit = open_hit(url="https://example.org/q?a=1&amp;b=two+words")

    url = frame_url(browser.get(group_path(hit)))

    assert url.count("?") == 1
    assert query_of(url) == {
        "a": "1",
        "b": "two words",
        "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE",
        "hitId": hit.external_id,
        "turkSubmitTo": settings.MARKETPLACE_URL,
    }
    assert facts(hit, now=timezone.now()).available == 1


@pytest.mark.parametrize("path", ["", "accept/"])
def test_group_without_a_place_says_so(browser: Browser, path: str) -> None:
    hit = open_hit(title="Taken")
    accepted(signed_in(), hit)
    call = browser.post if path else browser.get

    response = call(f"{group_path(hit)}{path}")

    assert (response.status_code, browser.worker.assignments.count()) == (200, 0)
    assert "None of these is left for you" in text_of(response)


def test_accept_leads_to_the_framed_work(browser: Browser) -> None:
    hit = open_hit(url="https://example.org/q?a=1#part")

    response = browser.post(f"{group_path(hit)}accept/")

    assignment = browser.worker.assignments.get()
    assert (response.status_code, response["Location"]) == (302, work_path(assignment))
    url = frame_url(browser.get(work_path(assignment)))
    query = query_of(url)
    submit_to, ticket = query.pop("turkSubmitTo"), query.pop("ticket")
    assert (url.count("?"), url.endswith("#part")) == (1, True)
    assert query == {
        "a": "1",
        "assignmentId": assignment.external_id,
        "hitId": hit.external_id,
        "workerId": browser.worker.external_id,
    }
    assert submit_to.startswith(f"{settings.MARKETPLACE_URL}/submit/")
    signed = seals.read_submit(submit_to.rpartition("/")[2])
    assert signed == {"assignment": assignment.external_id, "row": assignment.pk}
    assert read_ticket(ticket, hit) == {
        "hit": hit.external_id,
        "assignment": assignment.external_id,
        "worker": browser.worker.external_id,
        "attempt": 1,
        "accepted": assignment.accepted_at.timestamp(),
        "expires": assignment.deadline_at.timestamp(),
    }


def read_ticket(ticket: str, hit: HIT) -> Any:
    """Read the ticket as the requester would, with the requester's key."""
    return signing.loads(ticket, key=hit.requester.ticket_key, salt="marketplace.ticket")


def test_ticket_of_one_requester_is_worthless_to_another(browser: Browser) -> None:
    assignment, other = accepted(browser, open_hit()), open_hit()
    ticket = query_of(frame_url(browser.get(work_path(assignment))))["ticket"]

    with pytest.raises(signing.BadSignature):
        read_ticket(ticket, other)


def test_accept_twice_leads_to_the_same_work(browser: Browser) -> None:
    hit = open_hit(max_assignments=3)

    places = [browser.post(f"{group_path(hit)}accept/")["Location"] for _ in range(2)]

    assert places == [work_path(browser.worker.assignments.get())] * 2


def test_accept_takes_the_hit_that_was_previewed(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    hits = [open_hit(requester=requester) for _ in range(8)]
    page = browser.get(group_path(hits[0]))
    seen = page.context["hit"]
    assert f'name="hit" value="{seen.external_id}"' in page.content.decode()

    browser.client.post(f"{group_path(hits[0])}accept/", {"hit": seen.external_id})

    assert browser.worker.assignments.get().hit == seen


@pytest.mark.parametrize("wanted", ["taken", "foreign", "NOSUCH", "a\0b", "x" * 5_000])
def test_accept_takes_another_where_the_previewed_one_cannot_be_had(browser: Browser, wanted: str) -> None:
    requester = make_requester(now=timezone.now()).requester
    taken, free = open_hit(requester=requester), open_hit(requester=requester)
    accepted(signed_in(), taken)
    ids = {"taken": taken.external_id, "foreign": open_hit().external_id}

    browser.client.post(f"{group_path(free)}accept/", {"hit": ids.get(wanted, wanted)})

    assert browser.worker.assignments.get().hit == free


def test_race_for_the_last_place_is_told(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker is quicker each time, between the look and the attempt to accept."""
    hit = open_hit()
    monkeypatch.setattr(queries, "next_hit_id", lambda **_: hit.pk)
    accepted(signed_in(), hit)

    response = browser.post(f"{group_path(hit)}accept/")

    assert (response.status_code, browser.worker.assignments.count()) == (409, 0)
    assert "Other workers have taken every place in this HIT." in text_of(response)


def test_wish_to_go_on_is_carried_from_work_to_work(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    hits = [open_hit(requester=requester) for _ in range(2)]

    first = browser.client.post(f"{group_path(hits[0])}accept/", {"next": "1"})["Location"]
    work.submit_assignment(
        assignment=browser.worker.assignments.get(), answer="<answer/>", now=timezone.now()
    )
    pages = [browser.get(first), browser.get(first.removesuffix("?next=1"))]

    assert first.endswith("?next=1")
    assert ['name="next" value="1" checked' in page.content.decode() for page in pages] == [True, False]


def test_suspended_worker_accepts_nothing_and_is_told_why(browser: Browser) -> None:
    hit = open_hit()
    Worker.objects.filter(pk=browser.worker.pk).update(suspended_at=timezone.now())

    answers = [browser.get("/"), browser.get(group_path(hit)), browser.post(f"{group_path(hit)}accept/")]

    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert ["Your account is suspended." in text_of(answer) for answer in answers] == [True] * 3
    assert ["accept/" in answer.content.decode() for answer in answers] == [False] * 3
    assert "You may finish work that you have begun" in text_of(answers[0])
    assert browser.worker.assignments.count() == 0


def test_suspended_worker_finishes_what_they_have_begun(browser: Browser) -> None:
    kept, given_back = accepted(browser, open_hit()), accepted(browser, open_hit())
    Worker.objects.filter(pk=browser.worker.pk).update(suspended_at=timezone.now())

    queue, page = browser.get("/work/"), browser.get(work_path(kept))
    browser.client.post(submit_path(page), {"assignmentId": kept.external_id, "label": "cat"})
    browser.post(f"{work_path(given_back)}return/")

    assert (queue.status_code, work_path(kept) in queue.content.decode()) == (200, True)
    assert [status_of(kept), status_of(given_back)] == ["Submitted", "Returned"]


def test_erased_worker_has_no_session_left(browser: Browser) -> None:
    Worker.objects.filter(pk=browser.worker.pk).update(erased_at=timezone.now())

    assert "You are not signed in" in text_of(browser.get("/"))


@pytest.mark.usefixtures("one_window")
def test_too_many_requests_are_answered_in_friendly_words(browser: Browser, settings: LazySettings) -> None:
    settings.MARKETPLACE_WORKER_RATE = 1

    answers = [browser.get("/work/") for _ in range(12)]

    assert {answer.status_code for answer in answers[:10]} == {200}
    assert (answers[-1].status_code, answers[-1]["Retry-After"]) == (429, "10")
    assert "Wait a few seconds and load the page again" in text_of(answers[-1])
    assert signed_in().get("/work/").status_code == 200


def test_work_page_names_the_work_and_sandboxes_its_frame(browser: Browser) -> None:
    assignment = accepted(browser, open_hit(title="Cats & <dogs>"))

    response = browser.get(work_path(assignment))

    html = response.content.decode()
    assert "Cats & <dogs> Time left until" in text_of(response)
    assert html.count("Cats &amp; &lt;dogs&gt;") == 2
    assert FRAME in html
    assert 'referrerpolicy="no-referrer"' in html


def test_work_whose_time_is_over_has_gone_back(browser: Browser) -> None:
    hit = open_hit(ago=timedelta(minutes=20))
    late = accepted(browser, hit, ago=timedelta(minutes=15))

    response = browser.get(work_path(late))

    assert (response.status_code, status_of(late)) == (200, "Abandoned")
    assert "The time was over" in text_of(response)
    assert facts(hit, now=timezone.now()).available == 1


def test_return_gives_the_work_back(browser: Browser) -> None:
    assignment = accepted(browser, open_hit())

    response = browser.post(f"{work_path(assignment)}return/")

    assert (response.status_code, response["Location"], status_of(assignment)) == (
        302,
        "/?returned=1",
        "Returned",
    )
    assert "You returned this HIT" in text_of(browser.get(work_path(assignment)))


def test_return_of_work_handed_in_changes_nothing(browser: Browser) -> None:
    done = handed_in(browser, open_hit())

    response = browser.post(f"{work_path(done)}return/")

    assert (response.status_code, status_of(done)) == (302, "Submitted")


def test_another_workers_assignment_is_not_found(browser: Browser) -> None:
    theirs = accepted(signed_in(), open_hit(title="Theirs"))

    answers = [browser.get(work_path(theirs)), browser.post(f"{work_path(theirs)}return/")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert [b"Theirs" in answer.content for answer in answers] == [False, False]
    assert status_of(theirs) == "Accepted"


def test_unknown_group_or_work_is_not_found(browser: Browser) -> None:
    answers = [
        browser.get("/groups/NOSUCH/"),
        browser.post("/groups/NOSUCH/accept/"),
        browser.get("/work/NOSUCH/"),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_find_work_and_the_bar_tell_of_open_work(browser: Browser) -> None:
    before = text_of(browser.get("/"))
    accepted(browser, open_hit(title="Short", duration_s=3_600))

    found, elsewhere = text_of(browser.get("/")), text_of(browser.get("/settings/"))

    assert "Accepted, and not submitted yet" not in before
    assert re.search(r"Accepted, and not submitted yet Short · submit within (59 minutes|1 hour)", found)
    assert "My queue 1 open" in elsewhere


def test_queue_shows_what_is_open_most_urgent_first(browser: Browser) -> None:
    accepted(browser, open_hit(title="Long", duration_s=3_600))
    accepted(browser, open_hit(title="Short", duration_s=60))
    handed_in(browser, open_hit(title="Done"))

    shown = browser.get("/work/").context["assignments"]

    assert [assignment.hit.hit_type.title for assignment in shown] == ["Short", "Long"]

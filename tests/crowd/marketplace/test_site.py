"""List, preview, work, queue and history as a signed-in worker sees them."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.core import signing
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.services import work
from tests.crowd.marketplace.rows import facts, hand_in, status_of
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    frame_url,
    group_path,
    open_hit,
    query_of,
    signed_in,
    text_of,
    work_path,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db

EMPTY = {
    "/": "There is no work for you right now.",
    "/work/": "You have accepted nothing that is still open. Find work",
    "/history/": "Nothing handed in yet. Find work",
}


def handed_in(browser: Browser, hit: HIT) -> Assignment:
    return hand_in(hit, worker=browser.worker, now=timezone.now())


def test_empty_pages_say_what_to_do(browser: Browser) -> None:
    pages = {path: text_of(browser.get(path)) for path in EMPTY}

    assert [path for path, said in EMPTY.items() if said not in pages[path]] == []


def test_list_shows_each_group_once_newest_first(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    for title in ("Older", "Older", "Newer"):
        open_hit(requester=requester, title=title, duration_s=900)

    response = browser.get("/")

    groups = response.context["groups"]
    assert [(group.title, group.hits) for group in groups] == [("Newer", 1), ("Older", 2)]
    assert f"Reward $0.05 HITs 2 Time 15 minutes Requester {requester.name}" in text_of(response)


def test_list_leaves_out_what_this_worker_cannot_have(browser: Browser) -> None:
    handed_in(browser, open_hit(title="Done", max_assignments=2))
    accepted(browser, open_hit(title="Held", max_assignments=2))
    accepted(signed_in(), open_hit(title="Full"))
    open_hit(title="Expired", lifetime=timedelta(minutes=1), ago=timedelta(minutes=2))
    work.return_assignment(assignment=accepted(browser, open_hit(title="Returned")), now=timezone.now())

    assert [group.title for group in browser.get("/").context["groups"]] == ["Returned"]


@pytest.mark.parametrize("hits", [1, 200])
def test_list_asks_the_same_number_of_queries(
    browser: Browser, django_assert_max_num_queries: DjangoAssertNumQueries, hits: int
) -> None:
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        for number in range(hits):
            open_hit(requester=requester, title=f"Group {number % 20}")

    with django_assert_max_num_queries(6, using="marketplace"):
        response = browser.get("/")

    assert sum(group.hits for group in response.context["groups"]) == hits


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
    assert seals.read_submit(submit_to.rpartition("/")[2]) == {"assignment": assignment.external_id}
    assert read_ticket(ticket, hit) == {
        "hit": hit.external_id,
        "assignment": assignment.external_id,
        "worker": browser.worker.external_id,
        "attempt": 1,
        "accepted": assignment.accepted_at.timestamp(),
        "expires": assignment.deadline_at.timestamp(),
    }


def read_ticket(ticket: str, hit: HIT) -> Any:
    """As the requester would, with the key they were given."""
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


def test_work_page_names_the_work_and_sandboxes_its_frame(browser: Browser) -> None:
    assignment = accepted(browser, open_hit(title="Cats & <dogs>"))

    response = browser.get(work_path(assignment))

    html = response.content.decode()
    assert "Cats & <dogs> Reward $0.05 Time left" in text_of(response)
    assert html.count("Cats &amp; &lt;dogs&gt;") == 2
    assert 'sandbox="allow-scripts allow-forms allow-same-origin allow-popups"' in html
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

    assert (response.status_code, response["Location"], status_of(assignment)) == (302, "/", "Returned")
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


def test_queue_shows_what_is_open_most_urgent_first(browser: Browser) -> None:
    accepted(browser, open_hit(title="Long", duration_s=3_600))
    accepted(browser, open_hit(title="Short", duration_s=60))
    handed_in(browser, open_hit(title="Done"))

    shown = browser.get("/work/").context["assignments"]

    assert [assignment.hit.hit_type.title for assignment in shown] == ["Short", "Long"]


def test_history_shows_what_was_earned_in_dollars_and_cents(browser: Browser) -> None:
    for reward in ("0.10", "0.20", "0.03"):
        done = handed_in(browser, open_hit(reward=reward, delay_s=0))
        work.pay_bonus(
            requester=done.hit.requester,
            assignment=done,
            amount=Decimal("0.07"),
            reason="",
            now=timezone.now(),
        )

    said = text_of(browser.get("/history/"))

    assert "Rewards approved $0.33 Bonuses $0.21 Together $0.54 " in said
    assert said.count("approved $0.10 $0.07") == 1


def test_history_of_nothing_is_zero_dollars_and_cents(browser: Browser) -> None:
    assert "Rewards approved $0.00 Bonuses $0.00 Together $0.00 " in text_of(browser.get("/history/"))


def test_history_tells_the_state_of_each(browser: Browser) -> None:
    waiting, rejected = (handed_in(browser, open_hit(title=title)) for title in ("Waiting", "Rejected"))
    work.reject_assignment(assignment=rejected, feedback="No.", now=timezone.now())

    said = text_of(browser.get("/history/"))

    assert (said.count("waiting for approval $0.05 –"), said.count("rejected $0.05 –")) == (1, 1)
    assert "Rewards approved $0.00" in said
    assert status_of(waiting) == "Submitted"


@pytest.mark.parametrize(("done", "shown"), [(1, 1), (40, 25)])
def test_history_asks_the_same_number_of_queries(
    browser: Browser, django_assert_max_num_queries: DjangoAssertNumQueries, done: int, shown: int
) -> None:
    with atomic():
        for _ in range(done):
            handed_in(browser, open_hit())

    with django_assert_max_num_queries(8, using="marketplace"):
        response = browser.get("/history/")

    assert response.content.decode().count("<tr>") - 1 == shown


def test_history_pages_hold_everything_once(browser: Browser) -> None:
    with atomic():
        made = [handed_in(browser, open_hit()).pk for _ in range(27)]

    pages = [browser.get(f"/history/?page={number}").context["page"] for number in (1, 2)]

    assert [row.pk for page in pages for row in page] == made[::-1]

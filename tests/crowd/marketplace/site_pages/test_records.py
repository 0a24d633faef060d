"""History, its export, earnings and messages: the worker's own, and nobody else's."""

import csv
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import DjangoAssertNumQueries

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.services import money, requesters, reviewing
from tests.crowd.marketplace.rows import hand_in, post_hit, status_of
from tests.crowd.marketplace.site import Browser, open_hit, signed_in, text_of, work_path
from tests.factories import make_requester

pytestmark = pytest.mark.django_db


def handed_in(browser: Browser, hit: HIT) -> Assignment:
    return hand_in(hit, worker=browser.worker, now=timezone.now())


def pay_bonus(done: Assignment, amount: str, reason: str = "") -> None:
    reviewing.pay_bonus(
        requester=done.hit.requester,
        assignment=done,
        amount=Decimal(amount),
        reason=reason,
        now=timezone.now(),
    )


def write_to(worker: Worker, subject: str = "Hello", text: str = "Text") -> Message:
    requester = make_requester(now=timezone.now()).requester
    return Message.objects.create(
        worker=worker, requester=requester, subject=subject, text=text, sent_at=timezone.now()
    )


def exported(browser: Browser, address: str = "/history/export/") -> list[dict[str, str]]:
    text = b"".join(browser.get(address).streaming_content).decode()
    return list(csv.DictReader(StringIO(text)))


def test_earnings_are_what_was_earned_paid_and_is_owed(browser: Browser) -> None:
    for reward in ("0.10", "0.20", "0.03"):
        pay_bonus(handed_in(browser, open_hit(reward=reward, delay_s=0)), "0.07")
    with atomic():
        money.pay_out(
            worker_id=browser.worker.pk,
            amount=Decimal("0.50"),
            reference="<b>SEPA</b>",
            paid_by="operator",
            now=timezone.now(),
        )

    said = text_of(browser.get("/earnings/"))

    assert "Earned, with bonuses $0.54 Paid out $0.50 Still owed to you $0.04 " in said
    assert "<b>SEPA</b> $0.50" in said


def test_earnings_of_nothing_are_zero_dollars_and_cents(browser: Browser) -> None:
    said = text_of(browser.get("/earnings/"))

    assert "Earned, with bonuses $0.00 Paid out $0.00 Still owed to you $0.00 " in said


def test_earnings_tell_how_much_waits(browser: Browser) -> None:
    waiting, rejected = (handed_in(browser, open_hit()) for _ in range(2))
    reviewing.reject_assignment(assignment=rejected, feedback="No.", now=timezone.now())

    said = text_of(browser.get("/earnings/"))

    assert "Approved 0 Waiting for approval 1 ($0.05) Rejected 1" in said
    assert status_of(waiting) == "Submitted"


def test_history_tells_the_state_of_each(browser: Browser) -> None:
    handed_in(browser, open_hit(title="Waiting"))
    rejected = handed_in(browser, open_hit(title="Rejected"))
    reviewing.reject_assignment(assignment=rejected, feedback="No.", now=timezone.now())
    approved = handed_in(browser, open_hit(reward="0.10", delay_s=0))
    pay_bonus(approved, "0.07")
    pay_bonus(approved, "0.01")

    said = text_of(browser.get("/history/"))

    assert (said.count("waiting for approval $0.05 –"), said.count("rejected $0.05 –")) == (1, 1)
    assert said.count("approved $0.10 $0.08") == 1


def titles(page: Any) -> list[str]:
    return [row.hit.hit_type.title for row in page.context["page"].rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["c", "b", "a"]),
        ("?sort=oldest", ["a", "b", "c"]),
        ("?sort=reward", ["b", "c", "a"]),
        ("?status=Approved", ["b"]),
        ("?status=Submitted", ["c", "a"]),
        ("?status=Accepted", ["c", "b", "a"]),
        ("?q=B", ["b"]),
        ("?q=B&status=Submitted", []),
    ],
)
def test_history_is_searched_filtered_and_sorted(browser: Browser, query: str, found: list[str]) -> None:
    for title, reward in (("a", "0.01"), ("b", "0.03"), ("c", "0.02")):
        handed_in(browser, open_hit(title=title, reward=reward, delay_s=0 if title == "b" else 60))

    assert titles(browser.get(f"/history/{query}")) == found


@pytest.mark.parametrize("sort", ["newest", "oldest", "reward"])
def test_history_pages_hold_everything_once(browser: Browser, sort: str) -> None:
    with atomic():
        made = [handed_in(browser, open_hit(reward=f"0.0{n % 2 + 1}")).pk for n in range(27)]

    first = browser.get(f"/history/?sort={sort}")
    second = browser.get(f"/history/{first.context['further']}")
    back = browser.get(f"/history/{second.context['earlier']}")

    shown = [[row.pk for row in page.context["page"].rows] for page in (first, second, back)]
    assert ([len(page) for page in shown], sorted(shown[0] + shown[1])) == ([25, 2, 25], made)
    assert (shown[2], second.context["further"], back.context["earlier"]) == (shown[0], "", "")


@pytest.mark.parametrize(("done", "shown"), [(1, 1), (40, 25)])
def test_history_asks_the_same_number_of_queries(
    browser: Browser, django_assert_max_num_queries: DjangoAssertNumQueries, done: int, shown: int
) -> None:
    with atomic():
        for _ in range(done):
            handed_in(browser, open_hit())

    with django_assert_max_num_queries(10, using="marketplace"):
        response = browser.get("/history/")

    assert response.content.decode().count("<tr>") - 1 == shown


def test_export_holds_the_own_history_and_runs_nothing(browser: Browser) -> None:
    hand_in(open_hit(title="Theirs"), now=timezone.now())
    handed_in(browser, open_hit(title="Plain, with a comma"))
    done = handed_in(browser, open_hit(title="=1+1", reward="0.10", delay_s=0))
    pay_bonus(done, "0.07")

    rows = exported(browser)

    assert [(row["title"], row["status"], row["reward"], row["bonus"]) for row in rows] == [
        ("'=1+1", "Approved", "0.10", "0.07"),
        ("Plain, with a comma", "Submitted", "0.05", "0"),
    ]


@pytest.mark.parametrize("title", ["＝1+1", "\u200b=1+1", "\u00a0@a", "\n=1+1"])
def test_export_quotes_what_only_looks_unlike_a_formula(browser: Browser, title: str) -> None:
    """Spreadsheets also run wide signs, and signs behind invisible characters."""
    handed_in(browser, open_hit(title=title))

    assert [row["title"] for row in exported(browser)] == [f"'{title}"]


def test_export_of_a_search_holds_what_it_finds(browser: Browser) -> None:
    for title in ("one", "two"):
        handed_in(browser, open_hit(title=title))

    assert [row["title"] for row in exported(browser, "/history/export/?q=one")] == ["one"]


def test_submission_tells_when_it_pays_itself(browser: Browser) -> None:
    done = handed_in(browser, open_hit(delay_s=3600))

    said = text_of(browser.get(work_path(done)))

    assert "has been received. The reward of $0.05 is yours when the requester approves it." in said
    assert f"{done.auto_approval_at:%H:%M} UTC" in said


ABOUT = "https://example.org/statement/token/"


def test_refusal_has_a_button_to_the_requesters_page_where_one_asks(browser: Browser) -> None:
    bad = handed_in(browser, open_hit())
    words = f"Two are wrong. · Ask about it: {ABOUT}"
    reviewing.reject_assignment(assignment=bad, feedback=words, now=timezone.now())

    pages = [browser.get(work_path(bad)), browser.get("/history/")]

    for page in pages:
        assert f'href="{ABOUT}" target="_blank" rel="noopener noreferrer"' in page.content.decode()
        assert "Ask about it" in text_of(page)
    earned = browser.get("/earnings/").content.decode()
    assert earned.count(f'href="{ABOUT}"') == 1
    assert "A bonus counts here once the requester has sent it" in earned
    assert "The requester’s feedback Two are wrong." in text_of(pages[0])
    assert "Ask about it: https" not in text_of(pages[0])


DEADEND = "There is no way here to write to this requester."


def test_refusal_says_until_when_it_can_be_undone_and_whom_to_ask(
    browser: Browser, settings: LazySettings
) -> None:
    settings.MARKETPLACE_CONTACT = "help@example.org"
    done = handed_in(browser, open_hit())
    reviewing.reject_assignment(assignment=done, feedback="Empty.", now=timezone.now())

    text = text_of(browser.get(work_path(done)))

    assert done.submitted_at
    until = date_format(done.submitted_at + timedelta(days=30), "j M Y, H:i")
    assert f"Until {until} UTC , 30 days after you submitted it, the requester can still approve it." in text
    assert DEADEND in text
    assert f"name this work: {done}" in text
    assert "help@example.org" in text


@pytest.mark.parametrize("too_late", ["30 days are over", "its requester is closed", "the HIT is deleted"])
def test_refusal_promises_no_change_that_cannot_come(browser: Browser, too_late: str) -> None:
    ago = timezone.now() - timedelta(days=31 if "30" in too_late else 1)
    hit = post_hit(now=ago)
    done = hand_in(hit, worker=browser.worker, now=ago)
    reviewing.reject_assignment(assignment=done, feedback="", now=ago)
    if "closed" in too_late:
        requesters.close_requester(requester_id=hit.requester_id, now=timezone.now())
    if "deleted" in too_late:
        HIT.objects.update(disposed_at=timezone.now())

    text = text_of(browser.get(work_path(done)))

    assert "can still approve it" not in text
    assert DEADEND in text


def test_pages_promise_a_requesters_own_page_only_where_there_is_one(browser: Browser) -> None:
    plain = handed_in(browser, open_hit())
    reviewing.reject_assignment(assignment=plain, feedback="Empty.", now=timezone.now())
    before = [text_of(browser.get(path)) for path in ("/messages/", "/earnings/")]
    done = handed_in(browser, open_hit(url="https://example.org/q"))
    words = f"Two are wrong. · Ask about it: {ABOUT}"
    reviewing.approve_assignment(assignment=done, feedback=words, override=False, now=timezone.now())
    after = [text_of(browser.get(path)) for path in ("/messages/", "/earnings/")]

    assert not any("own page" in text or "History links" in text for text in before)
    assert "History links to such pages" in after[0]
    assert "Bonuses that you wait for" in after[1]


@pytest.mark.parametrize(
    "address", ["https://elsewhere.example.org/", "http://example.org/", "javascript:alert(1)", "nothing"]
)
def test_address_of_another_site_in_the_feedback_is_only_text(browser: Browser, address: str) -> None:
    bad = handed_in(browser, open_hit())
    reviewing.reject_assignment(assignment=bad, feedback=f"No. · Ask: {address}", now=timezone.now())

    pages = [browser.get(work_path(bad)), browser.get("/history/")]

    assert f"No. · Ask: {address}" in text_of(pages[0])
    assert not any("Ask about it" in text_of(page) for page in pages)


def test_submission_shows_review_feedback_and_bonuses(browser: Browser) -> None:
    good, bad = (handed_in(browser, open_hit(title=title)) for title in ("Good", "Bad"))
    reviewing.approve_assignment(assignment=good, feedback="<i>Fine</i>", override=False, now=timezone.now())
    pay_bonus(good, "0.07", "For the cue.")
    reviewing.reject_assignment(assignment=bad, feedback="Empty.", now=timezone.now())

    said = [text_of(browser.get(work_path(one))) for one in (good, bad)]

    assert "“Good” is approved: $0.05 is yours." in said[0]
    assert "The requester’s feedback <i>Fine</i>" in said[0]
    assert "$0.07" in said[0]
    assert "For the cue." in said[0]
    assert "pays no reward for it." in said[1]
    assert "The requester’s feedback Empty." in said[1]


def test_message_is_unread_until_it_is_opened(browser: Browser) -> None:
    message = write_to(browser.worker, subject="<b>News</b>", text="First\n<script>x</script>")
    before = text_of(browser.get("/"))

    opened = browser.get(f"/messages/{message.pk}/")

    assert "Messages 1 unread" in before
    assert "First\n&lt;script&gt;x&lt;/script&gt;" in opened.content.decode()
    assert "unread" not in text_of(browser.get("/messages/"))
    message.refresh_from_db()
    assert message.read_at is not None


def test_message_of_another_worker_is_not_found(browser: Browser) -> None:
    theirs = write_to(signed_in().worker, subject="Theirs")

    answers = [browser.get(f"/messages/{number}/") for number in (theirs.pk, 0, 10**30)]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert b"Theirs" not in answers[0].content
    theirs.refresh_from_db()
    assert theirs.read_at is None


def test_more_than_nine_unread_messages_are_told_so(browser: Browser) -> None:
    for _ in range(12):
        write_to(browser.worker)

    assert "Messages 9+ unread" in text_of(browser.get("/messages/"))

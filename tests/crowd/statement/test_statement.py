"""The statement shows one worker's work, rewards and bonuses in plain words, and nothing of anybody else."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.statement import statement_links, statement_words
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.review.models import Appeal
from hits.review.services.appeal_handling import answer_appeal, make_appeal
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.factories import (
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.pages import text_of

pytestmark = pytest.mark.django_db
Status = Bonus.Status


def make_work(**changes: Any) -> Assignment:
    now = timezone.now()
    values: dict[str, Any] = {"status": "approved", "submitted_at": now, "approved_at": now, **changes}
    return make_assignment(**values)


def address(work: Assignment, *, now: datetime | None = None) -> str:
    return f"/statement/{statement_links.write_token(assignment=work, now=now or timezone.now())}/"


def read(client: Client, work: Assignment, query: str = "") -> Any:
    return client.get(address(work) + query)


def test_statement_is_kept_by_nobody_and_framed_by_nobody(client: Client) -> None:
    page = read(client, make_work())

    assert page.status_code == 200
    assert not page.cookies
    assert "no-store" in page["Cache-Control"]
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["X-Frame-Options"] == "DENY"
    assert page["Cross-Origin-Opener-Policy"] == "unsafe-none"  # a sandboxed frame opens the statement
    policy = page["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"} <= set(policy)
    assert "<script" not in text_of(page)


@pytest.mark.parametrize("method", ["put", "delete", "post"])
def test_statement_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)(address(make_work())).status_code == 405


def test_statement_shows_work_reward_and_bonus(client: Client) -> None:
    batch = make_batch(status="open", title="Which pictures?", reward=Decimal("0.30"))
    work = make_work(hit=make_hit(batch=batch))
    day = datetime(2026, 11, 20, 9, tzinfo=UTC)
    steps = [{"score": "2/3", "when": "1", "from": 60, "below": 67, "amount": "0.07"}, {"score": None}]
    figures = {
        "kind": "tiers",
        "measure": "fool",
        "items": steps,
        "when": {"measure": "solvable", "at_least": 80},
        "scores": ["2/3", "1"],
        "seconds": 250,
        "hourly": "12.00",
    }
    make_bonus(
        assignment=work,
        amount=Decimal("0.18"),
        status="confirmed",
        sent_at=day,
        reason="Well fooled.",
        figures=figures,
    )

    page = read(client, work)

    text = text_of(page)
    for part in ("Which pictures?", "$0.30", "$0.18", "Well fooled.", "Credited on 20 Nov 2026", "$0.48"):
        assert part in text
    lines = page.context["works"][0]["bonuses"][0]["figures"]
    assert [(line.label, line.value) for line in lines] == [
        ("What was measured", "how far your words misled the model"),
        ("Only if: What was measured", "how well other people solved your words"),
        ("Only if: Needed at least", "80 %"),
        ("Your scores", "66.66 %; 100 %"),
        ("Part 1", "Your score: 66.66 %; Only if: 100 %; From: 60 %; Below: 67 %; Amount: $0.07"),
        ("Time counted", "4 min 10 s"),
        ("Pay for an hour", "$12.00"),
    ]


def test_statement_of_rejected_work_tells_the_reason(client: Client) -> None:
    now = timezone.now()
    work = make_work(status="rejected", rejected_at=now)
    given: dict[str, Any] = {"assignment": work, "by": make_user(), "made_at": now, "send_at": now}
    for status, reason in (("done", "The answers are blank."), ("declined", "Not for the worker.")):
        Decision.objects.create(kind="reject", status=status, reason=reason, **given)

    text = text_of(read(client, work))

    assert "Not accepted" in text
    assert "The answers are blank." in text
    assert "Not for the worker." not in text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "owed"}, "Earned, not yet sent: it is paid after a last check"),
        (
            {"status": "owed", "held_reason": "Looks odd"},
            "Earned, not yet sent: a person takes a closer look first",
        ),
        ({"status": "approved"}, "Earned, not yet sent: it is approved, and sent next"),
        ({"status": "sending"}, "Being sent"),
        ({"status": "sent", "sent_at": datetime(2026, 11, 2, tzinfo=UTC)}, "Sent on 2 Nov 2026"),
        ({"status": "confirmed", "sent_at": datetime(2026, 11, 2, tzinfo=UTC)}, "Credited on 2 Nov 2026"),
        ({"status": "unknown"}, "Being sent; we are checking with the platform that it arrived"),
        (
            {"status": "refused", "problem": "RequestError"},
            "Still yours; the platform could not send it yet, and we take care of that",
        ),
        ({"status": "waived"}, "Will not be paid after all; ask us if you think that is wrong"),
    ],
    ids=lambda value: "-".join(str(part) for part in value.values())[:18] if isinstance(value, dict) else "",
)
def test_bonus_is_told_honestly_and_without_internal_words(
    client: Client, changes: dict[str, Any], expected: str
) -> None:
    if "held_reason" in changes:
        changes = {**changes, "held_at": timezone.now(), "held_by": make_user()}
    bonus = make_bonus(assignment=make_work(), **changes)

    text = text_of(read(client, bonus.assignment))

    assert expected in text
    for hidden in (str(bonus.token), "Looks odd", "RequestError", bonus.rule + "</"):
        assert hidden not in text


def test_every_state_of_a_bonus_has_words() -> None:
    told = {status: statement_words.state_of_bonus(Bonus(status=status)).words for status in Status}

    assert set(told) == set(Status)
    assert all(told.values())


def test_figures_hide_what_names_a_row() -> None:
    figures = {
        "token": "t", "item_id": 7, "solution": "k", "mean": "0.5", "nested": {"key": "x", "at_least": 80},
        "ref": str(uuid4()), "empty": None, "fine": True, "amount": "much",
    }  # fmt: skip

    shown = [
        (line.label, line.value)
        for line in statement_words.figures_of(Bonus(figures=figures), currency="USD")
    ]

    assert shown == [
        ("Your average", "50 %"),
        ("Amount", "much"),
        ("Fine", "yes"),
        ("Nested: Needed at least", "80 %"),
    ]


@pytest.mark.parametrize(
    "figures", [[], "words", 7, {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}, {"a": [[1], {}]}]
)
def test_figures_of_any_shape_break_nothing(figures: Any) -> None:
    assert statement_words.figures_of(Bonus(figures=figures), currency="USD") == []


def test_statement_shows_nothing_of_other_workers(client: Client) -> None:
    account = make_account()
    hit = make_hit(batch=make_batch(status="open", account=account))
    mine, theirs = (make_work(hit=hit, worker=make_worker(account=account)) for _ in range(2))
    make_bonus(assignment=theirs, reason="For somebody else.")
    make_appeal(assignment=theirs, text="A secret.", now=timezone.now())

    page = read(client, mine)

    text = text_of(page)
    assert [entry["work"] for entry in page.context["works"]] == [mine]
    for hidden in ("For somebody else.", "A secret.", str(theirs.public_id), theirs.worker.pseudonym):
        assert hidden not in text
    for hidden in (mine.worker.external_id, mine.external_id, mine.worker.pseudonym):
        assert hidden not in text


def test_statement_shows_no_answer_and_reads_none(client: Client) -> None:
    work = make_work(answer={"item": ["secret-pick"]})

    with CaptureQueriesContext(connection) as queries:
        page = read(client, work)

    assert "secret-pick" not in text_of(page)
    assert not any('"answer"' in query["sql"] and "hits_assignment" in query["sql"] for query in queries)


def test_statement_lists_what_was_saved_only_where_tickets_prove_the_worker(client: Client) -> None:
    shown = []
    for key in ("ticket-key", ""):
        work = make_work(hit=make_hit(batch=make_batch(status="open", account=make_account(ticket_key=key))))
        make_work(
            hit=work.hit,
            worker=work.worker,
            status="saved",
            answer={},
            submitted_at=None,
            saved_at=timezone.now(),
        )
        shown.append([entry["work"].status for entry in read(client, work).context["works"]])

    assert shown == [["saved", "approved"], ["approved"]]


def test_statement_before_any_work_says_what_will_stand_there(client: Client) -> None:
    page = read(client, make_assignment())

    assert "Nothing here yet" in text_of(page)


def test_totals_are_of_what_is_shown(client: Client) -> None:
    batch = make_batch(status="open", reward=Decimal("0.30"))
    work = make_work(hit=make_hit(batch=batch))
    for status in ("submitted", "rejected"):
        make_work(hit=work.hit, worker=work.worker, status=status)
    for status, amount in (
        ("confirmed", "0.10"),
        ("sent", "0.01"),
        ("owed", "0.20"),
        ("refused", "0.02"),
        ("waived", "5"),
    ):
        make_bonus(assignment=work, status=status, amount=Decimal(amount), rule=status)

    totals = read(client, work).context["totals"]

    assert (totals.paid, totals.rewards, totals.waiting) == (
        Decimal("0.41"),
        Decimal("0.30"),
        Decimal("0.30"),
    )
    assert (totals.bonuses_paid, totals.bonuses_coming) == (Decimal("0.11"), Decimal("0.22"))


def test_bonus_paid_by_a_hit_of_its_own_is_counted_once(client: Client) -> None:
    work = make_work()
    own = make_batch(status="complete", account=work.account, reward=Decimal("0.50"))
    make_bonus(assignment=work, status="confirmed", amount=Decimal("0.50"), compensation=own)
    make_work(hit=make_hit(batch=own), worker=work.worker)

    page = read(client, work)

    assert page.context["totals"].paid == Decimal("0.53")
    assert "Credited by a HIT of its own" in text_of(page)


def test_statement_has_pages_and_months_in_the_zone_of_the_study(client: Client) -> None:
    study = make_study(time_zone="Asia/Tokyo")
    hit = make_hit(batch=make_batch(status="open", study=study))
    # This is already December in Tokyo.
    first = make_work(hit=hit, submitted_at=datetime(2025, 11, 30, 16, tzinfo=UTC))
    for number in range(26):
        at = datetime(2025, 11, 1, tzinfo=UTC) + timedelta(hours=number)
        make_work(hit=hit, worker=first.worker, submitted_at=at)

    everything, older = read(client, first), read(client, first, "?page=2")
    december = read(client, first, "?month=2025-12")
    nonsense = read(client, first, "?month=x&page=y")

    counts = [len(page.context["works"]) for page in (everything, older, december, nonsense)]
    assert counts == [25, 2, 1, 25]
    assert [f"{start:%Y-%m}" for start, _ in everything.context["months"]] == ["2025-12", "2025-11"]
    assert december.context["totals"].works == 1


def test_statement_speaks_the_language_and_the_currency(client: Client) -> None:
    study = make_study(language="de", currency="GBP")
    batch = make_batch(status="open", study=study, account=make_account(currency="GBP"))
    work = make_work(hit=make_hit(batch=batch), submitted_at=datetime(2026, 3, 1, tzinfo=UTC))

    text = text_of(read(client, work))

    assert '<html lang="de" dir="ltr">' in text
    assert "£0.03" in text
    assert "März" in text


def test_statement_takes_few_queries_whatever_there_is(client: Client) -> None:
    work = make_work()

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert read(client, work).status_code == 200
        return len(queries)

    few = count()
    for number in range(24):
        more = make_work(hit=work.hit, worker=work.worker)
        make_bonus(assignment=more)
        if number % 2:
            make_appeal(assignment=more, text="Why?", now=timezone.now()) if number < 18 else None
    assert count() == few <= 10


def test_old_link_is_told_how_to_get_a_new_one(client: Client) -> None:
    work = make_work()

    page = client.get(address(work, now=timezone.now() - timedelta(hours=13)))

    assert page.status_code == 410
    assert "To get a new one, open work of ours" in text_of(page)
    assert work.hit.batch.title not in text_of(page)


@pytest.mark.parametrize("where", ["", "ask/{work}/", "take-back/{work}/"])
@pytest.mark.parametrize("hours", [0, 13], ids=["forged", "old"])
def test_link_that_does_not_serve_tells_nothing_and_changes_nothing(
    client: Client, where: str, hours: int
) -> None:
    work = make_work()
    good = address(work, now=timezone.now() - timedelta(hours=hours))
    place = (good if hours else good.replace("/statement/", "/statement/x")) + where.format(
        work=work.public_id
    )

    page = client.post(place, {"text": "Hello."}) if where else client.get(place)

    assert page.status_code == (410 if hours else 403)
    assert "no-store" in page["Cache-Control"]
    assert work.hit.batch.title not in text_of(page)
    assert Appeal.objects.count() == 0


def test_link_of_a_worker_who_is_gone_tells_nothing(client: Client) -> None:
    work = make_assignment()
    there = address(work)
    Assignment.objects.all().delete()
    Worker.objects.all().delete()

    assert client.get(there).status_code == 403


def test_worker_asks_reads_the_answer_and_may_ask_again(client: Client) -> None:
    work = make_work()
    there = address(work)

    sent = client.post(f"{there}ask/{work.public_id}/?page=1", {"text": "I was right.\n<b>Look</b>"})
    shown = client.get(sent["Location"])

    assert sent["Location"] == f"{there}?page=1&said=asked#work-{work.public_id}"
    assert "usually within 3 days" in text_of(shown)
    assert "&lt;b&gt;Look&lt;/b&gt;" in text_of(shown)
    assert "Withdraw the question" in text_of(shown)
    staff = make_user(username="somebody-here", is_superuser=True)
    answer_appeal(
        appeal=Appeal.objects.get(),
        granted=False,
        answer="We looked.",
        amount=None,
        by=staff,
        now=timezone.now(),
    )
    answered = text_of(client.get(there))
    assert "Our answer: nothing changes" in answered
    assert "We looked." in answered
    assert "Ask again" in answered
    assert "somebody-here" not in answered
    assert "usually within 3 days" not in text_of(client.get(sent["Location"]))


def test_worker_takes_an_appeal_back(client: Client) -> None:
    work = make_work()
    appeal = make_appeal(assignment=work, text="Hm.", now=timezone.now())

    sent = client.post(f"{address(work)}take-back/{appeal.public_id}/")

    assert (sent.status_code, Appeal.objects.get().status) == (302, Appeal.Status.WITHDRAWN)


def test_refused_question_comes_back_with_its_text(client: Client) -> None:
    work = make_work()

    page = client.post(f"{address(work)}ask/{work.public_id}/", {"text": "y" * 2001})

    assert page.status_code == 409
    assert "Please use at most 2000 characters; this has 2001." in text_of(page)
    assert "y" * 2001 in text_of(page)
    assert Appeal.objects.count() == 0


def test_worker_asks_about_nobody_elses_work(client: Client) -> None:
    account = make_account()
    hit = make_hit(batch=make_batch(status="open", account=account))
    mine, theirs = (make_work(hit=hit, worker=make_worker(account=account)) for _ in range(2))
    appeal = make_appeal(assignment=theirs, text="Theirs.", now=timezone.now())

    asked = client.post(f"{address(mine)}ask/{theirs.public_id}/", {"text": "Mine."})
    taken = client.post(f"{address(mine)}take-back/{appeal.public_id}/")

    assert [page.status_code for page in (asked, taken)] == [403, 403]
    assert list(Appeal.objects.values_list("text", "status")) == [("Theirs.", "open")]


def test_answer_that_came_first_is_shown_to_who_takes_back(client: Client) -> None:
    work = make_work()
    appeal = make_appeal(assignment=work, text="Hm.", now=timezone.now())
    answer_appeal(
        appeal=Appeal.objects.get(),
        granted=True,
        answer="You were right.",
        amount=None,
        by=make_user(is_superuser=True),
        now=timezone.now(),
    )

    page = client.post(f"{address(work)}take-back/{appeal.public_id}/")

    assert page.status_code == 409
    assert "You were right." in text_of(page)
    assert Appeal.objects.get().status == Appeal.Status.GRANTED

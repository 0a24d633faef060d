"""A worker reads what the work has earned, disagrees, and reads the answer: two people, two browsers."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.marketplace.database import atomic
from crowd.marketplace.services import money
from crowd.statement import statement_links
from hits.identity.roles import RESEARCHER
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.paying import confirm_bonuses, pay_bonuses
from hits.review.models import Appeal
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter, let_in
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, sign_in, work_through
from tests.conftest import Sites
from tests.factories import (
    approve,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

OWED = "Still owed to you"


def test_worker_reads_the_pay_asks_and_reads_the_answer(
    open_page: OpenPage, desk: Desk, sites: Sites
) -> None:
    worker, staff = open_page(), open_page()
    sign_in(worker.context, desk.worker, sites=sites)
    statement = open_statement(worker, desk)
    expect(statement.get_by_role("heading", level=2)).to_have_text("Nothing here yet")

    hand_in(worker, desk)
    work_through()
    approve(Bonus.objects.all(), now=timezone.now())
    pay_bonuses(now=timezone.now())
    confirm_bonuses(now=timezone.now())
    statement.reload()

    expect(statement.locator("dl.facts dd")).to_have_text(["$0.04", "$0.03", "$0.01", "$0.00", "$0.00"])
    expect(statement.locator("article .tag").first).to_contain_text("Approved and credited")
    expect(statement.locator(".lines-between .tag")).to_contain_text("Credited on")
    expect(statement.locator(".lines-between")).to_contain_text("all right")
    statement.get_by_text("A question, or something is not right?").click()
    statement.get_by_label("What you ask, or what is not right, in your own words").fill(
        "It took me an hour."
    )
    statement.get_by_role("button", name="Send").click()
    expect(statement.get_by_role("status")).to_contain_text("You find the answer here")

    answer(staff, sites=sites)
    statement.reload()

    expect(statement.locator(".talk")).to_contain_text("Our answer: nothing changes")
    expect(statement.locator(".talk")).to_contain_text("The clock says two minutes.")


def test_both_sides_call_paid_only_what_was_paid_out(open_page: OpenPage, desk: Desk, sites: Sites) -> None:
    """What one side credits the other owes, until an operator records that it was paid out."""
    page = open_page()
    sign_in(page.context, desk.worker, sites=sites)
    statement = open_statement(page, desk)
    hand_in(page, desk)
    work_through()
    approve(Bonus.objects.all(), now=timezone.now())
    pay_bonuses(now=timezone.now())
    confirm_bonuses(now=timezone.now())
    statement.reload()

    credited, earned = statement.locator(".most dd").inner_text(), earnings(page, sites=sites)
    assert credited == "$0.04"
    assert earned == {"Earned, with bonuses": credited, "Paid out": "$0.00", OWED: credited}
    assert "paid" not in statement.locator("article .tag").all_inner_texts()[0].lower()
    with atomic():
        money.pay_out(
            worker_id=desk.worker.pk, amount=Decimal("0.04"), reference="1", paid_by="o", now=timezone.now()
        )

    statement.reload()
    assert statement.locator(".most dd").inner_text() == credited
    assert earnings(page, sites=sites) == {**earned, "Paid out": "$0.04", OWED: "$0.00"}


def earnings(page: Page, *, sites: Sites) -> dict[str, str]:
    page.goto(f"{sites.marketplace}/earnings/")
    facts = page.locator("dl.facts.big > div").all()
    return {one.locator("dt").inner_text(): one.locator("dd").inner_text() for one in facts}


def open_statement(page: Page, desk: Desk) -> Page:
    """Open the statement from the frame, in a tab of its own; the work stays where it was."""
    page.goto(desk.url)
    with page.context.expect_page() as opened:
        page.frame_locator("iframe").get_by_role("link", name="Your work and your pay").click()
    statement = opened.value
    expect(statement.get_by_role("heading", level=1)).to_have_text("Your work and your pay")
    assert statement.evaluate("() => [window.opener, document.referrer]") == [None, ""]
    return statement


def hand_in(page: Page, desk: Desk) -> None:
    frame = page.frame_locator("iframe")
    for key in desk.right:
        frame.locator("label", has=page.locator(f'input[value="{key}"]')).click()
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def answer(page: Page, *, sites: Sites) -> None:
    study = Assignment.objects.get().hit.batch.study
    let_in(page, make_member(RESEARCHER, study), sites=sites)
    page.goto(f"{sites.public}/admin/hits/appeal/")
    page.get_by_role("link", name="It took me an hour.").click()
    page.get_by_label("Nothing changes").check()
    page.get_by_label("Your answer").fill("The clock says two minutes.")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.get_by_text("Answered. The worker reads it")).to_be_visible()


FIGURES: dict[str, Any] = {
    "kind": "tiers",
    "measure": "fool",
    "items": [
        {"score": "69/100", "from": 67, "below": 80, "amount": "0.18"},
        {"score": "1/3", "amount": "0.00"},
    ],
}
FATES = ("approved",) * 9 + ("rejected", "submitted")


def make_busy() -> Assignment:
    """Create work, bonuses and appeals in every state, over three months. Returns the newest work."""
    now, study = timezone.now(), make_study(name="Visual associations")
    title = "Which of these pictures go with the word?"
    hit = make_hit(batch=make_batch(status="open", study=study, title=title, reward=Decimal("0.25")))
    worker = make_worker(account=hit.batch.account)
    works = []
    for number in range(33):
        at, fate = now - timedelta(days=2 * (33 - number)), FATES[number % len(FATES)]
        moments = {"submitted_at": at, "approved_at": at, "rejected_at": at, "auto_approves_at": now}
        works.append(make_assignment(hit=hit, worker=worker, status=fate, **moments))
    newest = [work for work in reversed(works) if work.status == "approved"]
    reject(next(work for work in reversed(works) if work.status == "rejected"))
    reason = "Tier: your word fooled the AI, and people still solved it."
    for number, status in enumerate(Bonus.Status.values):
        given = {"rule": status, "reason": reason, "figures": FIGURES, "revision": number % 2}
        work = newest[number // 2]
        make_bonus(assignment=work, status=status, amount=Decimal("0.18"), sent_at=now, **given)
    make_appeal(newest[0], text="I am sure that all three were right.\nThe dog is on the picture.")
    answer = "Two of the three were right: the table gives $0.18 for that."
    told = {"answer": answer, "answered_at": now, "answered_by": make_user()}
    make_appeal(newest[1], text="Why so little?", status="answered", **told)
    make_appeal(newest[2], text="Never mind.", status="withdrawn")
    return newest[0]


def reject(work: Assignment) -> None:
    now = timezone.now()
    reason = "Every answer names the same picture; the task asks for three different ones."
    given = {"kind": "reject", "status": "done", "reason": reason, "by": make_user()}
    Decision.objects.create(assignment=work, made_at=now, send_at=now, **given)


def make_appeal(work: Assignment, **changes: Any) -> None:
    made_at = timezone.now() - timedelta(days=5)
    Appeal.objects.create(assignment=work, worker=work.worker, made_at=made_at, **changes)


@pytest.mark.parametrize("size", SIZES)
def test_statement_looks_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    busy, empty, now = make_busy(), make_assignment(), timezone.now()
    here, other, old = (
        f"{sites.public}/statement/{statement_links.write_token(assignment=work, now=at)}/"
        for work, at in ((busy, now), (empty, now), (busy, now - timedelta(days=1)))
    )

    visitor.visit("statement", here)
    visitor.page.get_by_text("How it was worked out").first.click()
    visitor.page.get_by_text("A question, or something is not right?").first.click()
    visitor._keep_picture(f"statement-open-{size}")
    visitor.visit("statement-empty", other)
    visitor.visit("statement-old", old, status=410)
    visitor.visit("statement-forged", f"{sites.public}/statement/x/", status=403)

    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_appeals_look_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    enter(visitor.page, sites)
    place = f"{sites.public}/admin/hits/appeal/"

    visitor.visit("appeals-empty", place)
    make_busy()
    visitor.visit("appeals", place)
    for status in ("open", "answered", "withdrawn"):
        visitor.visit(f"appeal-{status}", f"{place}{Appeal.objects.get(status=status).pk}/change/")

    assert visitor.problems == {}

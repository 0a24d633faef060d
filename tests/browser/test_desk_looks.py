"""The operator's desk in a real browser: empty, at work, and refusing."""

import json
from decimal import Decimal

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, ViewportSize, expect

from crowd.marketplace.desk.session import COOKIE
from crowd.marketplace.models import HIT, Assignment, Complaint
from crowd.marketplace.models.parties import AccessKey, Block, Operator, Requester, Worker
from crowd.marketplace.questions import write_answer
from crowd.marketplace.services import operators, payouts, requesters, reviewing, work, workers
from crowd.marketplace.services.oversight import complaints
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.marketplace.forms import form, question
from tests.crowd.marketplace.rows import accept, hand_in, post_hit

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
ALSO_NARROW: dict[str, ViewportSize] = {**SIZES, "narrow": {"width": 360, "height": 740}}


@pytest.fixture(params=ALSO_NARROW)
def visitor(request: pytest.FixtureRequest, open_page: OpenPage) -> Visitor:
    page = open_page(viewport=ALSO_NARROW[request.param], reduced_motion="reduce")
    return Visitor(page, size=request.param)


def sign_in(context: BrowserContext, *, sites: Sites) -> None:
    now = timezone.now()
    operator = Operator.objects.create(sign_in_name="desk", password="!", created_at=now)
    token = operators.open_session(operator, now=now)
    context.add_cookies([{"name": COOKIE, "value": token, "domain": "localhost", "path": "/desk/"}])


@pytest.fixture
def busy(sites: Sites) -> Requester:
    """A requester with a history, and workers to be paid, suspended, blocked and erased."""
    now = timezone.now()
    requester = requesters.create_requester(
        name="Common sense lab", deposit=Decimal(1250), fee_schedule="7.5%", now=now
    ).requester
    names = ["First worker", "Second worker", "A name that goes on and on until it hardly fits", "Wörker"]
    people = [workers.Invited(name=name) for name in names]
    invited = [one.worker for one in workers.invite_workers(people=people, now=now)]
    hit = post_hit(requester=requester, reward="12.50", max_assignments=9, now=now)
    for worker in invited[:3]:
        done = hand_in(hit, worker=worker, now=now)
        reviewing.approve_assignment(assignment=done, feedback="", override=False, now=now)
    requesters.add_key(requester_id=requester.pk, now=now)
    requesters.revoke_key(key=AccessKey.objects.order_by("pk")[0], now=now)
    requesters.save_layout(
        requester_id=requester.pk, name="Pairs of pictures", html="<p>${a}</p>", frame_height=0, now=now
    )
    part = payouts.Payment(worker=Worker.objects.get(pk=invited[0].pk), amount=Decimal(5))
    payouts.pay(payments=[part], reference="Transfer 2026-11", paid_by="desk", now=now)
    workers.suspend_worker(worker_id=invited[1].pk, now=now)
    Worker.objects.filter(pk=invited[2].pk).update(erasure_requested_at=now)
    Block.objects.create(requester=requester, worker=invited[1], reason="Answers at random", created_at=now)
    return requester


def test_empty_desk_looks_right(visitor: Visitor, sites: Sites) -> None:
    desk = f"{sites.marketplace}/desk"

    visitor.visit("desk-sign-in", f"{desk}/sign-in/")
    sign_in(visitor.page.context, sites=sites)
    visitor.visit("desk-overview-empty", f"{desk}/")
    for name in (
        "requesters",
        "hits",
        "complaints",
        "workers",
        "payouts",
        "payouts/history",
        "blocks",
        "log",
        "public-pages",
    ):
        visitor.visit(f"desk-{name.replace('/', '-')}-empty", f"{desk}/{name}/")
    visitor.visit("desk-not-found", f"{desk}/nowhere/", status=404)

    assert visitor.problems == {}


def test_busy_desk_looks_right(visitor: Visitor, sites: Sites, busy: Requester) -> None:
    desk = f"{sites.marketplace}/desk"
    requester = f"{desk}/requesters/{busy.external_id}"
    worker = f"{desk}/workers/{Worker.objects.order_by('pk')[2].external_id}"
    sign_in(visitor.page.context, sites=sites)

    visitor.visit("desk-overview", f"{desk}/")
    visitor.visit("desk-books", f"{desk}/books/")
    hit = f"{desk}/hits/{HIT.objects.get().external_id}"
    visitor.visit("desk-hits", f"{desk}/hits/")
    visitor.visit("desk-hit", f"{hit}/")
    visitor.visit("desk-take-down", f"{hit}/take-down/")
    visitor.page.goto(f"{desk}/hits/")
    visitor.page.get_by_label("All on this page").check()
    visitor.page.get_by_role("button", name="Take the ticked ones down…").click()
    visitor.problems["desk-take-down-ticked"] = visitor.look("desk-take-down-ticked")
    visitor.visit("desk-work", f"{desk}/work/{Assignment.objects.order_by('pk')[0]}/")
    visitor.visit("desk-requesters", f"{desk}/requesters/")
    visitor.visit("desk-requester-new", f"{desk}/requesters/new/")
    visitor.visit("desk-requester", f"{requester}/")
    visitor.visit("desk-deposit", f"{requester}/deposit/")
    visitor.visit("desk-trial-hit-new", f"{requester}/trial-hits/new/")
    visitor.visit("desk-ledger", f"{requester}/ledger/")
    visitor.visit("desk-layout", f"{requester}/layouts/new/")
    visitor.visit("desk-close", f"{requester}/close/")
    visitor.visit("desk-workers", f"{desk}/workers/")
    visitor.visit("desk-invite", f"{desk}/workers/invite/")
    visitor.visit("desk-worker", f"{worker}/")
    visitor.visit("desk-erase", f"{worker}/erase/")
    visitor.visit("desk-payouts", f"{desk}/payouts/")
    visitor.visit("desk-payouts-paste", f"{desk}/payouts/review/")
    visitor.visit("desk-payouts-history", f"{desk}/payouts/history/")
    visitor.visit("desk-blocks", f"{desk}/blocks/")

    assert {name: found for name, found in visitor.problems.items() if found} == {}


@pytest.fixture
def complained(busy: Requester, sites: Sites) -> Complaint:
    """A complaint about a form that was refused and then approved, with data in its answer."""
    now = timezone.now()
    asked = question(identifier="why", name="Why", content="<Text>Why do you think so?</Text>")
    hit = post_hit(requester=busy, title="Say why", max_assignments=3, question=form(asked), now=now)
    done = accept(hit, worker=Worker.objects.order_by("pk")[0], now=now)
    data = json.dumps({"chosen": ["one", "two"], "words": "A long word: " + "ab" * 120})
    answer = write_answer([("why", "Because."), ("data", data)])
    work.submit_assignment(assignment=done, answer=answer, now=now)
    reviewing.reject_assignment(assignment=done, feedback="No reason given.", now=now)
    reviewing.approve_assignment(assignment=done, feedback="Sorry.", override=True, now=now)
    accept(hit, worker=Worker.objects.order_by("pk")[3], now=now)
    text = "They asked for my address.\n\nI did not want to tell them."
    return complaints.report(worker=done.worker, hit=hit, kind="personal", text=text, now=now)


def test_complaints_and_take_downs_look_right(visitor: Visitor, sites: Sites, complained: Complaint) -> None:
    desk, hit = f"{sites.marketplace}/desk", complained.hit
    sign_in(visitor.page.context, sites=sites)
    page = visitor.page

    visitor.visit("desk-waits", f"{desk}/")
    visitor.visit("desk-complaints", f"{desk}/complaints/")
    visitor.visit("desk-complaint", f"{desk}/complaints/{complained.pk}/")
    page.get_by_role("button", name="Show the answer").click()
    visitor.problems["desk-complaint-answer"] = visitor.look("desk-complaint-answer")
    visitor.visit("desk-hit-preview", f"{desk}/hits/{hit}/preview/")
    page.goto(f"{desk}/complaints/{complained.pk}/")
    page.get_by_label("Your answer").fill("We have written to them.")
    page.get_by_role("button", name="Send the answer").click()
    visitor.problems["desk-complaint-answered"] = visitor.look("desk-complaint-answered")
    visitor.visit("desk-write", f"{desk}/workers/{complained.worker.external_id}/write/")
    visitor.visit("desk-take-down-begun", f"{desk}/hits/{hit}/take-down/")
    page.get_by_role("textbox", name="Reason").fill("Asks for addresses")
    page.get_by_role("button", name="Take it down").click()
    visitor.problems["desk-hit-taken-down"] = visitor.look("desk-hit-taken-down")
    visitor.page.get_by_role("link", name="End the work that was begun…").click()
    visitor.problems["desk-end-work"] = visitor.look("desk-end-work")
    visitor.visit("desk-hits-taken-down", f"{desk}/hits/?only=all")
    visitor.visit("desk-log", f"{desk}/log/")

    assert {name: found for name, found in visitor.problems.items() if found} == {}


def test_links_of_invitations_look_right(visitor: Visitor, sites: Sites) -> None:
    sign_in(visitor.page.context, sites=sites)
    visitor.page.goto(f"{sites.marketplace}/desk/workers/invite/")
    visitor.page.get_by_label("Names").fill("Ada\nA name that goes on and on until it hardly fits")
    visitor.page.get_by_role("button", name="Make the links").click()

    assert visitor.look("desk-links") == []


def test_first_steps_are_taken_with_the_mouse(open_page: OpenPage, sites: Sites) -> None:
    page = open_page()
    sign_in(page.context, sites=sites)

    page.goto(f"{sites.marketplace}/desk/")
    page.get_by_role("link", name="Make a requester").click()
    page.get_by_label("Name").fill("The lab")
    page.get_by_label("First deposit").fill("10")
    page.get_by_role("button", name="Make the requester").click()
    page.get_by_role("link", name="I have copied them").click()
    page.get_by_role("link", name="Operator’s desk").click()
    page.get_by_role("link", name="Invite workers").click()
    page.get_by_label("Names").fill("Myself")
    page.get_by_role("button", name="Make the links").click()
    link = page.get_by_label("Link of Myself").input_value()
    expect(page.get_by_role("button", name="Copy Myself")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Myself").click()
    opened.value.get_by_role("heading", name="Myself").wait_for()
    expect(page.get_by_label("Link of Myself")).to_have_value(link)
    page.get_by_role("link", name="Operator’s desk").click()
    page.get_by_role("link", name="Put up a trial HIT").click()
    page.get_by_role("button", name="Put up the trial HIT").click()
    trial = page.url
    page.goto(link)
    page.get_by_role("button", name="Sign in and see the work").click()
    page.get_by_role("button", name="Accept").click()
    question = page.frame_locator("iframe")
    question.get_by_role("textbox").fill("Hello there")
    question.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Submitted").wait_for()
    page.goto(trial)
    page.get_by_text("Hello there").wait_for()
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("link", name="Operator’s desk").click()

    assert page.get_by_text("First steps").count() == 0
    assert Worker.objects.get().owed == Decimal("0.05")


def test_requester_is_made_and_workers_are_paid_with_the_mouse(
    open_page: OpenPage, sites: Sites, busy: Requester
) -> None:
    page = open_page()
    sign_in(page.context, sites=sites)

    page.goto(f"{sites.marketplace}/desk/requesters/")
    page.get_by_role("link", name="New requester").click()
    page.get_by_label("Name").fill("Another lab")
    page.get_by_label("First deposit").fill("10")
    page.get_by_role("button", name="Make the requester").click()
    key = page.get_by_label("Access key id").input_value()
    page.get_by_role("link", name="I have copied them").click()
    page.get_by_role("link", name="Payouts").click()
    page.get_by_label("Second worker").check()
    page.get_by_role("button", name="Mark as paid…").click()
    page.get_by_label("Reference").fill("By hand")
    page.get_by_role("button", name="Mark as paid").click()

    assert AccessKey.objects.get(access_key_id=key).requester.available == 10
    assert page.get_by_role("status").inner_text() == "$12.50 marked as paid, in 1 payout."
    assert Worker.objects.get(name="Second worker").owed == 0

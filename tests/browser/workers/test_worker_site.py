"""The worker site in a real browser: how its pages look, and what its scripts do."""

from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone
from playwright.sync_api import Dialog, Page, ViewportSize, expect

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT, Assignment, HITType
from crowd.marketplace.models.parties import Message, Requester, Worker
from crowd.marketplace.services import money, reviewing
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.forms import html_question
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import invite, make_requester

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
ALSO_NARROW: dict[str, ViewportSize] = {**SIZES, "narrow": {"width": 360, "height": 640}}
LONG = "Read two short texts about everyday situations, and tell which one a careful reader would believe"
EXPERIENCED = {
    "QualificationTypeId": "000000000000000000L0",
    "Comparator": "GreaterThan",
    "IntegerValues": [100],
}
# A page as requesters write it: the address and the script are mapped to our own.
PAGE = """<!DOCTYPE html><html lang="en"><title>Question</title><h1>Question</h1>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
<form name="mturk_form" method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId" id="assignmentId"><button name="a" value="b">Send</button></form>
<script>turkSetAssignmentID();</script></html>"""


@pytest.fixture(params=ALSO_NARROW)
def visitor(request: pytest.FixtureRequest, open_page: OpenPage) -> Visitor:
    page = open_page(viewport=ALSO_NARROW[request.param], reduced_motion="reduce")
    return Visitor(page, size=request.param)


@pytest.fixture
def requester() -> Requester:
    return make_requester(now=timezone.now()).requester


@pytest.fixture
def worker() -> Worker:
    return invite(now=timezone.now())[0]


def posted(requester: Requester, title: str, **changes: Any) -> HIT:
    return post_hit(
        requester=requester, title=title, question=html_question(PAGE), now=timezone.now(), **changes
    )


def done(worker: Worker, hit: HIT, *, feedback: str = "", is_good: bool | None = None) -> Assignment:
    """Submit an assignment, and review it if a judgment is given."""
    now = timezone.now()
    assignment = hand_in(hit, worker=worker, now=now)
    if is_good is True:
        reviewing.approve_assignment(assignment=assignment, feedback=feedback, override=False, now=now)
    if is_good is False:
        reviewing.reject_assignment(assignment=assignment, feedback=feedback, now=now)
    assignment.refresh_from_db()
    return assignment


def test_site_without_a_session_looks_right(visitor: Visitor, sites: Sites, settings: LazySettings) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = True

    visitor.visit("site-front", sites.marketplace)
    visitor.visit("site-terms", f"{sites.marketplace}/terms/")
    visitor.visit("site-privacy", f"{sites.marketplace}/privacy/")
    visitor.visit("site-sign-in", f"{sites.marketplace}/sign-in/")
    visitor.visit("site-register", f"{sites.marketplace}/register/")
    visitor.visit("site-not-found", f"{sites.marketplace}/nowhere/", status=404)

    assert visitor.problems == {}


def test_finding_and_doing_work_looks_right(
    visitor: Visitor, sites: Sites, requester: Requester, worker: Worker
) -> None:
    for number in range(21):
        posted(requester, f"Pick the pictures that fit, round {number}", max_assignments=number + 1)
    posted(requester, "Only for the experienced", requirements=[EXPERIENCED], reward="1.20")
    posted(requester, "Seen by few", requirements=[{**EXPERIENCED, "ActionsGuarded": "PreviewAndAccept"}])
    posted(requester, f"{LONG} {'x' * 20}", reward="12.50", duration_s=5400)
    hit = posted(requester, "Which pictures?", max_assignments=9)
    HITType.objects.filter(title="Which pictures?").update(
        description="Pick them. · Bonus of up to $0.54", work_times_s=[60, 70, 80, 90, 100]
    )
    taken = accept(posted(requester, LONG, duration_s=280), worker=worker, now=timezone.now())
    sign_in(visitor.page.context, worker, sites=sites)

    visitor.visit("site-list", sites.marketplace)
    visitor.visit("site-list-mine", f"{sites.marketplace}/?mine=1&sort=reward")
    visitor.visit("site-list-nothing", f"{sites.marketplace}/?q=xyzzy")
    visitor.visit("site-preview", f"{sites.marketplace}/groups/{hit.hit_type.external_id}/")
    visitor.visit("site-work", f"{sites.marketplace}/work/{taken.external_id}/")
    visitor.visit("site-queue", f"{sites.marketplace}/work/")
    barred = HIT.objects.get(hit_type__title="Seen by few").hit_type.external_id
    visitor.visit("site-not-for-you", f"{sites.marketplace}/groups/{barred}/", status=403)

    assert visitor.problems == {}


def test_records_and_settings_look_right(
    visitor: Visitor, sites: Sites, requester: Requester, worker: Worker
) -> None:
    now = timezone.now()
    waiting = done(worker, posted(requester, "Which pictures?"))
    good = done(
        worker, posted(requester, LONG, reward="1.10"), is_good=True, feedback="Careful work, thank you."
    )
    bad = done(worker, posted(requester, "Describe a photo"), is_good=False, feedback="Half of it\nis empty.")
    with atomic():
        reviewing.pay_bonus(
            requester=requester,
            assignment=good,
            amount=Decimal("0.40"),
            reason="You fooled the machine.",
            now=now,
        )
    with atomic():
        money.pay_out(worker_id=worker.pk, amount=Decimal("0.50"), reference="SEPA 17", paid_by="o", now=now)
    for number in range(3):
        Message.objects.create(
            worker=worker,
            requester=requester,
            subject=f"A new round begins ({number})" if number else LONG,
            text="Dear worker,\n\nthere is more to do.",
            sent_at=now,
            read_at=now if number == 2 else None,
        )
    sign_in(visitor.page.context, worker, sites=sites)

    visitor.visit("site-history", f"{sites.marketplace}/history/")
    for name, one in (("waiting", waiting), ("approved", good), ("rejected", bad)):
        visitor.visit(f"site-{name}", f"{sites.marketplace}/work/{one.external_id}/")
    visitor.visit("site-earnings", f"{sites.marketplace}/earnings/")
    visitor.visit("site-messages", f"{sites.marketplace}/messages/")
    visitor.visit("site-message", f"{sites.marketplace}/messages/{Message.objects.order_by('pk')[0].pk}/")
    visitor.visit("site-settings", f"{sites.marketplace}/settings/")
    visitor.visit("site-erasure", f"{sites.marketplace}/settings/erasure/")

    assert visitor.problems == {}


@pytest.mark.parametrize("size", ALSO_NARROW.values(), ids=ALSO_NARROW)
def test_the_whole_menu_is_seen_with_the_count_of_unread_messages(
    page: Page, sites: Sites, requester: Requester, worker: Worker, size: ViewportSize
) -> None:
    Message.objects.create(worker=worker, requester=requester, subject="", text="", sent_at=timezone.now())
    page.set_viewport_size(size)
    sign_in(page.context, worker, sites=sites)

    page.goto(sites.marketplace)

    menu = page.get_by_role("navigation", name="Site")
    names = ("Find work", "My queue", "History", "Earnings", "Qualifications", "Messages", "Settings")
    for name in names:
        expect(menu.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
    expect(menu.get_by_text("1 unread")).to_be_in_viewport(ratio=1)


def test_work_goes_on_by_itself_while_the_box_is_ticked(
    page: Page, sites: Sites, requester: Requester, worker: Worker
) -> None:
    for _ in range(3):
        posted(requester, "Which pictures?")
    sign_in(page.context, worker, sites=sites)
    page.goto(sites.marketplace)
    page.get_by_role("button", name="Accept").click()
    box, send = (
        page.get_by_label("Accept the next HIT afterwards"),
        page.frame_locator("iframe").get_by_role("button"),
    )

    box.check()
    first = page.url
    send.click()
    page.wait_for_url(lambda url: url not in (first, sites.marketplace) and "next=1" in url)
    expect(box).to_be_checked()
    box.uncheck()
    send.click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    expect(page.get_by_role("button", name="Accept the next one")).to_be_focused()
    statuses = worker.assignments.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["Submitted", "Submitted"]


def test_end_of_the_time_is_announced_politely(
    page: Page, sites: Sites, requester: Requester, worker: Worker
) -> None:
    page.clock.install()
    taken = accept(posted(requester, "Which pictures?", duration_s=600), worker=worker, now=timezone.now())
    sign_in(page.context, worker, sites=sites)
    page.goto(f"{sites.marketplace}/work/{taken.external_id}/")
    said = page.get_by_role("status")

    expect(said).to_have_text("")
    page.clock.run_for(301_000)
    expect(said).to_have_text("Five minutes left.")
    page.clock.run_for(240_000)
    expect(said).to_have_text("One minute left.")
    expect(page.locator("[data-clock]")).to_have_class("number soon")


def test_phone_shows_the_first_offer_soon_and_a_preview_in_one_scroller(
    page: Page, sites: Sites, requester: Requester, worker: Worker
) -> None:
    hit = posted(requester, "Which pictures?")
    sign_in(page.context, worker, sites=sites)
    page.set_viewport_size({"width": 390, "height": 844})

    page.goto(sites.marketplace)
    first = page.get_by_role("heading", name="Which pictures?").bounding_box()
    order = page.get_by_label("Order")
    is_folded = order.is_hidden()
    page.get_by_text("Order and filters").click()
    expect(order).to_be_visible()
    page.goto(f"{sites.marketplace}/groups/{hit.hit_type.external_id}/")

    assert first is not None
    assert first["y"] < 844 / 2
    assert is_folded
    assert page.evaluate("document.documentElement.scrollHeight") == 844
    expect(page.locator("iframe")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Back to the list")).to_be_visible()


def test_return_asks_first(page: Page, sites: Sites, requester: Requester, worker: Worker) -> None:
    taken = accept(posted(requester, "Which pictures?"), worker=worker, now=timezone.now())
    sign_in(page.context, worker, sites=sites)
    page.goto(f"{sites.marketplace}/work/")
    asked: list[str] = []

    def say_no(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", say_no)
    page.get_by_role("button", name="Return").click()
    taken.refresh_from_db()
    status_after_no = taken.status
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Return").click()
    expect(page.get_by_text("You have no accepted work that is still open.")).to_be_visible()

    taken.refresh_from_db()
    assert (status_after_no, taken.status) == ("Accepted", "Returned")
    assert asked == ["Return this HIT? What you have entered is lost, and another worker may take it."]


def test_work_is_found_and_accepted_with_the_keyboard_alone(
    page: Page, sites: Sites, requester: Requester, worker: Worker
) -> None:
    for title in ("Cats", "Dogs"):
        posted(requester, title)
    sign_in(page.context, worker, sites=sites)
    page.goto(sites.marketplace)

    page.get_by_label("Search").focus()
    page.keyboard.type("cats")
    page.keyboard.press("Enter")
    expect(page.locator(".offer")).to_have_count(1)
    page.get_by_role("button", name="Accept").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Cats")

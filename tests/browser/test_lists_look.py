"""Lists of the admin as one sees them: filters above, rows in a region, bars and tags."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from hits.identity.roles import OPERATOR, REVIEWER
from tests import admin_pages
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import NOW, make_assignment, make_hit

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
LISTS = {
    "batches": "hits/batch/",
    "batches-filtered": "hits/batch/?status__exact=open",
    "hits": "hits/hit/",
    "work": "hits/assignment/",
    "appeals": "hits/appeal/",
    "workers": "hits/worker/",
    "bonuses": "hits/bonus/",
    "runs": "hits/run/",
    "ledger": "hits/ledgerentry/",
    "studies": "hits/study/",
    "audit": "hits/auditevent/",
    "messages-empty": "hits/message/?q=zebra",
    "players-empty": "winogavil_play/player/",
}


@pytest.mark.parametrize("size", SIZES)
def test_lists_are_worth_reading(open_page: OpenPage, sites: Sites, size: str) -> None:
    admin_pages.fill(hits=40, batches=4, now=timezone.now())
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, make_staff(OPERATOR), sites=sites)
    for name, path in LISTS.items():
        visitor.visit(f"list-{name}", f"{sites.public}/admin/{path}")

    assert visitor.problems == {}


def test_filter_opens_and_closes_with_the_keyboard_alone(open_page: OpenPage, sites: Sites) -> None:
    admin_pages.fill(hits=8, batches=3, now=timezone.now())
    page = open_page(viewport=SIZES["phone"])
    log_in(page, make_staff(OPERATOR), sites=sites)
    page.goto(f"{sites.public}/admin/hits/batch/")

    page.locator("summary", has_text="Status").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Draft", exact=True).press("Enter")
    page.wait_for_url("**status__exact=draft*")
    page.get_by_role("link", name="Status: Draft").press("Enter")

    page.wait_for_url(lambda url: "status__exact" not in url)
    assert page.locator("#result_list").is_visible()


@pytest.mark.parametrize("size", SIZES)
def test_all_rows_of_all_pages_are_chosen_for_one_action(
    open_page: OpenPage, sites: Sites, size: str
) -> None:
    hit = make_hit(max_assignments=60)
    for _ in range(60):
        make_assignment(hit=hit, status="submitted", submitted_at=NOW)
    staff = make_staff(REVIEWER)
    hit.batch.study.members.add(staff.user)
    page = open_page(viewport=SIZES[size])
    log_in(page, staff, sites=sites)
    page.goto(f"{sites.public}/admin/hits/assignment/")

    page.locator("#action-toggle").check()
    page.get_by_role("button", name="Select all 60 assignments").click()
    page.get_by_label("Action:").select_option("approve")
    page.get_by_role("button", name="Run").click()

    expect(page.locator("#content")).to_contain_text("60 are chosen; 60 of them wait for a decision.")

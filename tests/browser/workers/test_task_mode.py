"""On a phone the work has the screen: one bar, one scroller, and what can be done in a menu."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, sign_in
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
MEASURE = """() => {
  const root = document.documentElement;
  const bar = document.querySelector(".task").getBoundingClientRect();
  const frame = document.querySelector("iframe").getBoundingClientRect();
  return {
    bar: bar.height,
    frame: [frame.top, frame.bottom],
    scrolls: root.scrollHeight - root.clientHeight,
    header: document.querySelector("header.bar").checkVisibility(),
  };
}"""


def work_on(page: Page, desk: Desk, *, sites: Sites) -> Page:
    sign_in(page.context, desk.worker, sites=sites)
    page.goto(desk.url)
    expect(page.frame_locator("iframe").get_by_role("button", name="Submit")).to_be_visible()
    return page


@pytest.fixture
def phone(open_page: OpenPage, desk: Desk, sites: Sites) -> Page:
    return work_on(open_page(viewport=SIZES["phone"], reduced_motion="reduce"), desk, sites=sites)


def test_one_bar_of_48_pixels_stays_and_the_frame_has_the_rest(phone: Page) -> None:
    measured: dict[str, Any] = phone.evaluate(MEASURE)

    assert measured == {"bar": 48, "frame": [48, 844], "scrolls": 0, "header": False}


def test_the_bar_tells_time_and_pay_and_its_title_is_read_to_screen_readers_alone(phone: Page) -> None:
    bar = phone.locator(".task")

    expect(bar.locator("[data-clock]")).to_be_in_viewport(ratio=1)
    expect(bar.get_by_text("$0.03")).to_be_in_viewport(ratio=1)
    title = bar.get_by_role("heading", level=1).bounding_box()
    assert title is not None
    assert title["width"] <= 1


def test_the_menu_has_the_ways_out_and_closes_by_escape(phone: Page) -> None:
    menu, out = phone.get_by_text("Menu"), phone.get_by_role("button", name="Return")

    expect(out).to_be_hidden()
    menu.click()
    expect(out).to_be_in_viewport(ratio=1)
    expect(phone.get_by_label("Accept the next one afterwards")).to_be_in_viewport()
    mine = phone.frame_locator("iframe").get_by_role("link", name="Your work").get_attribute("href") or "none"
    assert (phone.get_by_role("link", name="Ask the requester").get_attribute("href") or "").endswith(mine)
    phone.keyboard.press("Escape")
    expect(out).to_be_hidden()
    menu.click()
    phone.get_by_role("link", name="Back to the site").click()

    expect(phone.get_by_role("heading", level=1)).to_have_text("My queue")


def test_without_scripts_the_menu_opens_and_says_until_when(
    open_page: OpenPage, desk: Desk, sites: Sites
) -> None:
    page = open_page(viewport=SIZES["phone"], java_script_enabled=False)
    work_on(page, desk, sites=sites)

    page.get_by_text("Menu").click()

    expect(page.get_by_role("button", name="Return")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Back to the site")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Ask the requester")).to_be_hidden()
    expect(page.locator("[data-clock]")).to_contain_text("until")


def test_on_a_desk_the_site_stays_and_the_deeds_stand_in_the_bar(
    open_page: OpenPage, desk: Desk, sites: Sites
) -> None:
    page = work_on(open_page(viewport=SIZES["desktop"]), desk, sites=sites)

    expect(page.get_by_role("navigation", name="Site")).to_be_visible()
    expect(page.get_by_role("button", name="Return")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Ask the requester")).to_be_visible()
    expect(page.get_by_text("Menu")).to_be_hidden()


def test_work_looks_right(visitor: Visitor, desk: Desk, sites: Sites) -> None:
    sign_in(visitor.page.context, desk.worker, sites=sites)

    visitor.visit("task", desk.url)

    assert visitor.problems == {}

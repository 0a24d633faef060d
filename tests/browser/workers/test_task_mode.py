"""The work has a phone's whole screen, except for one bar that opens a menu."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, open_desk, sign_in
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

# In the frame, without scrolling: pictures that are seen whole, and the smallest side of what can be tapped.
SEEN = """() => {
  const end = document.querySelector(".submitbar").getBoundingClientRect().top;
  const boxes = [...document.querySelectorAll("label.picture")].map((label) => label.getBoundingClientRect());
  const button = document.querySelector("[type=submit]").getBoundingClientRect();
  return {
    whole: boxes.filter(({ top, bottom }) => top >= 0 && bottom <= end).length,
    beside: new Set(boxes.map(({ left }) => Math.round(left))).size,
    least: Math.floor(Math.min(...[...boxes, button].flatMap(({ width, height }) => [width, height]))),
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
    expect(phone.get_by_label("Accept the next HIT afterwards")).to_be_in_viewport()
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


@pytest.mark.parametrize("size", [5, 6, 10, 12])
def test_all_pictures_of_a_question_are_seen_at_once(open_page: OpenPage, sites: Sites, size: int) -> None:
    page = work_on(open_page(viewport=SIZES["phone"]), open_desk(sites, size=size), sites=sites)

    seen = page.frames[1].evaluate(SEEN)

    assert (seen["whole"], seen["beside"]) == (size, 3)
    assert seen["least"] >= 44


def test_the_word_stays_in_view_while_its_pictures_go_by(open_page: OpenPage, sites: Sites) -> None:
    small = open_page(viewport={"width": 390, "height": 600})
    page = work_on(small, open_desk(sites, size=12), sites=sites)
    frame = page.frame_locator("iframe")

    frame.locator("label.picture").last.scroll_into_view_if_needed()

    assert page.frames[1].evaluate("scrollY") > 0
    expect(frame.locator(".cue")).to_be_in_viewport(ratio=1)
    last = frame.locator("label.picture").last
    last.click()
    expect(last.locator("input")).to_be_checked()

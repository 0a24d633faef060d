"""Charts in a browser: under the strict policy, in the colors of the page, and none without a script."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.looking import SIZES, TELL_VIOLATIONS
from tests.conftest import Sites
from tests.crowd.winoground.making_scores import make_every_score, make_project
from tests.factories import make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
COLORS = """() => [...document.querySelectorAll('.chart svg .role-mark path')]
    .map((mark) => getComputedStyle(mark).fill).filter((fill) => fill !== 'none')"""
STYLED = "() => document.querySelectorAll('.chart style, .chart svg [style]').length"


@pytest.fixture
def address(sites: Sites) -> str:
    project = make_project(study=make_study(name="Captions"))
    make_every_score(project)
    return f"{sites.public}/admin/winoground/project/{project.pk}/results/"


@pytest.mark.parametrize("size", SIZES)
def test_chart_is_drawn_within_the_policy(open_page: OpenPage, sites: Sites, address: str, size: str) -> None:
    page = open_page(viewport=SIZES[size])
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.add_init_script(TELL_VIOLATIONS)
    enter(page, sites)

    page.goto(address)
    chart = page.get_by_role("img", name="Text: People 78.6 %")
    marks = chart.locator(".role-mark path")
    expect(chart.locator("svg")).to_be_visible()
    for place in range(marks.count()):
        marks.nth(place).hover(force=True)
    marks.last.hover(force=True)

    tooltip: Any = page.locator("#vg-tooltip-element")
    expect(tooltip).to_contain_text("78.6 %")
    assert page.locator(".chart svg").count() == 3
    assert page.evaluate(STYLED) == 0
    assert heard == []


def test_colors_follow_the_page_without_a_second_drawing(
    open_page: OpenPage, sites: Sites, address: str
) -> None:
    page = open_page(color_scheme="light")
    enter(page, sites)
    page.goto(address)
    page.locator(".chart svg").last.wait_for()

    light = page.evaluate(COLORS)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(COLORS)

    assert len(light) == len(dark) > 0
    assert set(light).isdisjoint(dark)


def test_without_a_script_there_is_the_table(open_page: OpenPage, sites: Sites, address: str) -> None:
    page = open_page(java_script_enabled=False)
    enter(page, sites)

    page.goto(address)

    assert page.locator(".chart svg").count() == 0
    expect(page.get_by_role("table", name="People beside chance")).to_be_visible()

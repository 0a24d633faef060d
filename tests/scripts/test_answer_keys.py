"""Keys choose answers and go on, never while somebody writes, and not where they are switched off."""

import pytest
from playwright.sync_api import Page, expect

from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
SCRIPTS = ("frame/choose.js", "frame/answer_keys.js")
LINE = '<label data-keys hidden><input type="checkbox" data-keys-on checked> Keys</label>'
FORM = """<form method="post" action="/answer/" data-choose data-work="w" data-ready="Ready."
  data-more="%d more." data-fewer="%d fewer." data-left="Question %d." data-sending="Sending.">{questions}
  <input id="text"><textarea id="long"></textarea>
  <div class="submitbar"><button type="submit">Submit</button></div>
  <p data-status></p>{line}</form>"""
PICTURES = """<fieldset data-question data-k="2"><p data-count></p>
  <input type="checkbox" name="q" value="a" data-key="1">
  <input type="checkbox" name="q" value="b" data-key="2">
  <input type="checkbox" name="q" value="j" data-key="0">
  </fieldset>"""
YES_OR_NO = """<fieldset data-question><input type="radio" name="{name}" value="yes" data-key="y">
  <input type="radio" name="{name}" value="no" data-key="n"></fieldset>"""


def open_form(bench: Bench, *questions: str, line: str = LINE) -> Page:
    return bench.open(FORM.format(questions="".join(questions), line=line), *SCRIPTS)


def chosen(page: Page) -> list[str]:
    boxes = page.locator("[data-key]:checked").all()
    return [f"{box.get_attribute('name')}{box.get_attribute('value')}" for box in boxes]


def test_digits_choose_and_take_away_again_and_0_is_the_tenth(bench: Bench) -> None:
    page = open_form(bench, PICTURES)

    page.keyboard.type("1")
    page.keyboard.type("0")
    first = chosen(page)
    page.keyboard.type("1")

    assert (first, chosen(page)) == (["qa", "qj"], ["qj"])


def test_enter_hands_in_what_is_complete_and_nothing_else(bench: Bench) -> None:
    page = open_form(bench, PICTURES)

    page.keyboard.press("1")
    page.keyboard.press("Enter")
    while_open = bench.asked()
    page.keyboard.press("2")
    page.keyboard.press("Enter")

    assert while_open == []
    assert bench.asked(1) == [("/answer/", {"q": "b"})]  # of two with one name the bench shows the last


def test_y_and_n_answer_and_enter_leads_to_the_next_open_question(bench: Bench) -> None:
    page = open_form(bench, *(YES_OR_NO.format(name=name) for name in "ab"))

    page.keyboard.press("y")
    page.keyboard.press("n")
    corrected = chosen(page)
    page.keyboard.press("Enter")
    page.keyboard.press("y")

    assert (corrected, chosen(page)) == (["ano"], ["ano", "byes"])


@pytest.mark.parametrize("field", ["#text", "#long"])
def test_whoever_writes_chooses_nothing(bench: Bench, field: str) -> None:
    page = open_form(bench, PICTURES, YES_OR_NO.format(name="a"))

    page.focus(field)
    page.keyboard.type("12 yn")

    assert chosen(page) == []
    assert page.input_value(field) == "12 yn"


def test_keys_are_told_to_screen_readers_while_they_are_on_and_stay_off_after_a_reload(bench: Bench) -> None:
    page = open_form(bench, PICTURES)
    told = page.locator("[aria-keyshortcuts]")
    expect(told).to_have_count(3)

    page.uncheck("[data-keys-on]")
    page.keyboard.press("1")
    page.reload()
    expect(page.locator("[data-keys-on]")).not_to_be_checked()
    page.keyboard.press("1")

    assert (told.count(), chosen(page)) == (0, [])


def test_a_page_without_the_line_that_tells_of_them_has_no_keys(bench: Bench) -> None:
    page = open_form(bench, PICTURES, line="")

    page.keyboard.press("1")

    assert chosen(page) == []


def test_keys_with_a_modifier_belong_to_the_browser(bench: Bench) -> None:
    page = open_form(bench, PICTURES)

    page.keyboard.press("Control+1")
    page.keyboard.press("Alt+2")

    assert chosen(page) == []

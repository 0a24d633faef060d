"""The next one is put into the same page: by a form, by a link, and when the server says no."""

import pytest
from playwright.sync_api import expect

from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
SCRIPTS = ("keys.js", "onward.js")
WORK = """<input type="checkbox" data-keys-on><div class="sheet"><h2>{name}</h2></div>
  <form method="post" action="/decide/" data-once><textarea name="reason"></textarea>
  <button name="kind" value="approve" data-key="a">Approve</button></form>
  <a href="?at=2" data-key="n">Next</a>"""


def page_of(bench: Bench, name: str, *, script: str = "") -> str:
    """The page that is open, with another work on it."""
    return bench.html.replace("First", name).replace("</title>", f"</title>{script}")


def open_first(bench: Bench) -> None:
    bench.open(WORK.format(name="First"), *SCRIPTS)
    bench.page.evaluate("window.isTheSamePage = true")


def test_link_puts_the_next_one_into_the_page(bench: Bench) -> None:
    open_first(bench)
    bench.html = page_of(bench, "Second")
    bench.page.keyboard.press("n")

    expect(bench.page.locator("h2")).to_have_text("Second")
    assert bench.page.url.endswith("?at=2")
    assert bench.page.evaluate("window.isTheSamePage")
    assert bench.page.evaluate("document.activeElement.textContent") == "Second"


def test_form_sends_its_fields_and_the_button_that_was_pressed(bench: Bench) -> None:
    open_first(bench)
    bench.answers["/decide/"] = lambda: (409, page_of(bench, "Second"))
    bench.page.fill("textarea", "Fine & well")
    bench.page.keyboard.press("Escape")
    bench.page.keyboard.press("a")

    assert bench.asked(1) == [("/decide/", {"reason": "Fine & well", "kind": "approve"})]


def test_refusal_is_shown_at_the_same_address(bench: Bench) -> None:
    open_first(bench)
    bench.answers["/decide/"] = lambda: (409, page_of(bench, "First, refused"))
    address = bench.page.url
    bench.page.keyboard.press("a")

    expect(bench.page.locator("h2")).to_have_text("First, refused")
    assert bench.page.url == address
    assert bench.page.evaluate("window.isTheSamePage")


@pytest.mark.parametrize("status", [403, 500, 503])
def test_failure_is_told_and_can_be_tried_again(bench: Bench, status: int) -> None:
    open_first(bench)
    bench.answers["/decide/"] = lambda: (status, "<h1>Oops</h1>")
    bench.page.fill("textarea", "Typed")
    bench.page.click("button")
    alert = bench.page.get_by_role("alert")
    expect(alert).to_contain_text(f"({status})")
    bench.answers["/decide/"] = lambda: (409, page_of(bench, "Second"))
    typed = bench.page.input_value("textarea")
    bench.page.click("button")

    expect(bench.page.locator("h2")).to_have_text("Second")
    expect(alert).to_have_count(0)
    assert typed == "Typed"
    assert len(bench.asked(2)) == 2


def test_keys_go_on_in_what_was_put_in(bench: Bench) -> None:
    open_first(bench)
    bench.answers["/decide/"] = lambda: (409, page_of(bench, "Second"))
    bench.page.keyboard.press("a")
    expect(bench.page.locator("h2")).to_have_text("Second")
    bench.page.keyboard.press("a")

    assert len(bench.asked(2)) == 2


def test_page_with_scripts_of_its_own_is_loaded_whole(bench: Bench) -> None:
    open_first(bench)
    bench.html = page_of(bench, "Second", script='<script src="/static/hits/review.js" defer></script>')
    bench.page.keyboard.press("n")

    expect(bench.page.locator("h2")).to_have_text("Second")
    assert bench.page.evaluate("window.isTheSamePage") is None


def test_back_shows_what_was_there(bench: Bench) -> None:
    open_first(bench)
    first = bench.html
    bench.html = page_of(bench, "Second")
    bench.page.keyboard.press("n")
    expect(bench.page.locator("h2")).to_have_text("Second")
    bench.html = first
    bench.page.go_back()

    expect(bench.page.locator("h2")).to_have_text("First")
    assert bench.page.evaluate("window.isTheSamePage")

"""Scripts of researchers' pages: live updates, one key for each button, an example while it is written."""

import pytest
from playwright.sync_api import Page, expect

from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
LIVE = """<p data-live-news></p><div data-live data-every="{every}" data-news="{news}">
  <section data-part="a">{a}</section><section data-part="b">
  <details data-keep="d"><summary>More</summary></details>{b}<input></section></div>"""
REVIEW = """<input type="checkbox" data-keys-on>
  <form method="post" action="/approve/" data-once><button data-key="a">Approve</button></form>
  <details class="reject" data-key="r"><summary>Reject</summary><textarea id="reason"></textarea>
  <select data-saved><option></option><option>Blank work</option></select></details>
  <p data-undo="10">Undo</p>"""
CHECK = """<input type="checkbox" data-keys-on>
  <form method="post" action="/keep/" data-once><button data-key="k">Keep</button></form>
  <div class="decide"><details data-key="d"><summary>Drop</summary>
  <form method="post" action="/drop/" data-once><button data-key="1" data-inside>Blurred</button></form>
  </details></div>"""
AUTHOR = """<form data-words-url="/words/" method="post" action="/keep/">
  <input name="csrfmiddlewaretoken" value="c">
  <input name="caption_0"><input name="caption_1"><input type="checkbox" name="has_altered_morpheme">
  <div data-words></div><div data-tags><p hidden><input id="find-tag"></p>
  <b data-chosen></b><b data-found></b><label><input type="checkbox" name="t" value="1"> Noun</label>
  <label><input type="checkbox" name="t" value="2"> Verb</label>
  </div><button>Keep</button></form>"""
TICKING = """<form data-ticking data-each="3" data-told="%d examples, %q questions, %a answers">
  <input type="checkbox" data-all hidden><input type="checkbox" name="example">
  <input type="checkbox" name="example"><b data-count></b><button>Go</button></form>"""


def live(*, every: int = 1000, news: str = "Open.", a: str = "1", b: str = "1") -> str:
    return LIVE.format(every=every, news=news, a=a, b=b)


def look_again(page: Page, clocked: Bench) -> None:
    page.clock.run_for(1000)
    clocked.asked()


def test_only_what_has_changed_is_swapped(clocked: Bench) -> None:
    page = clocked.open(live(), "hits/live.js")
    clocked.html = live(a="2")
    page.evaluate("document.querySelector('[data-part=b]').mark = 'same'")
    look_again(page, clocked)

    expect(page.locator("[data-part=a]")).to_have_text("2")
    assert page.evaluate("document.querySelector('[data-part=b]').mark") == "same"
    assert page.inner_text("[data-live-news]") == ""


def test_what_is_open_or_in_use_stays(clocked: Bench) -> None:
    page = clocked.open(live(), "hits/live.js")
    page.click("summary")
    clocked.html = live(b="2", news="Done.")
    page.focus("[data-part=b] input")
    look_again(page, clocked)
    expect(page.locator("[data-live-news]")).to_have_text("Done.")
    while_in_use = page.inner_text("[data-part=b]")
    page.evaluate("document.activeElement.blur()")
    look_again(page, clocked)

    expect(page.locator("[data-part=b]")).to_contain_text("2")
    assert "2" not in while_in_use
    assert page.evaluate("document.querySelector('details').open")


def test_page_at_rest_is_not_read_again(clocked: Bench) -> None:
    page = clocked.open(live(every=0), "hits/live.js")
    clocked.html = live(a="2")
    page.clock.run_for(60_000)
    clocked.asked()

    assert page.inner_text("[data-part=a]") == "1"


@pytest.mark.parametrize(
    ("page_of", "key", "address"),
    [(REVIEW, "a", "/approve/"), (CHECK, "k", "/keep/")],
)
def test_key_presses_its_button_once_unless_keys_are_off(
    bench: Bench, page_of: str, key: str, address: str
) -> None:
    page = bench.open(page_of, "keys.js")
    page.uncheck("[data-keys-on]")
    page.keyboard.press(key)
    while_off = bench.asked()
    page.check("[data-keys-on]")
    page.keyboard.press(f"Control+{key}")
    with_control = bench.asked()
    page.keyboard.press(key)
    page.keyboard.press(key)

    assert (while_off, with_control) == ([], [])
    assert bench.asked(1) == [(address, {})]


def test_rejecting_opens_and_closes_by_keys_and_takes_a_saved_reason(clocked: Bench) -> None:
    page = clocked.open(REVIEW, "keys.js", "hits/review.js")
    page.keyboard.press("r")
    in_reason = page.evaluate("document.activeElement.id")
    page.keyboard.type("a")
    typed = page.input_value("#reason")
    page.select_option("[data-saved]", "Blank work")
    reason = page.input_value("#reason")
    page.focus("#reason")
    page.keyboard.press("Escape")
    page.clock.run_for(10_000)

    assert (in_reason, typed, reason) == ("reason", "a", "Blank work")
    assert clocked.asked() == []
    assert not page.evaluate("document.querySelector('details').open")
    assert page.locator("[data-undo]").count() == 0


def test_reason_to_drop_a_picture_has_its_key_only_while_the_reasons_are_open(bench: Bench) -> None:
    page = bench.open(CHECK, "keys.js")
    page.keyboard.press("1")
    while_closed = bench.asked()
    page.keyboard.press("d")
    page.keyboard.press("1")

    assert while_closed == []
    assert bench.asked(1) == [("/drop/", {})]


def test_words_are_checked_when_typing_pauses_and_the_last_answer_counts(clocked: Bench) -> None:
    clocked.answers["/words/"] = lambda: (200, "<p>The same words.</p>")
    page = clocked.open(AUTHOR, "winoground/author.js")
    page.locator("[name=caption_0]").press_sequentially("old")
    while_typing = clocked.asked()
    page.clock.run_for(250)

    expect(page.locator("[data-words]")).to_have_text("The same words.")
    assert while_typing == []
    assert [address for address, _ in clocked.asked(1)] == ["/words/"]


def test_words_that_cannot_be_checked_say_so(bench: Bench) -> None:
    bench.answers["/words/"] = lambda: (500, "<h1>Oops</h1>")
    page = bench.open(AUTHOR, "winoground/author.js")
    page.fill("[name=caption_0]", "old")

    expect(page.locator("[data-words]")).to_contain_text("cannot be checked right now")


def test_enter_takes_the_only_tag_that_is_left_and_keeps_the_form(bench: Bench) -> None:
    page = bench.open(AUTHOR, "winoground/author.js")
    page.fill("#find-tag", "n")
    page.press("#find-tag", "Enter")
    page.fill("#find-tag", "zzz")
    none = page.inner_text("[data-found]")
    page.press("#find-tag", "Escape")
    page.fill("#find-tag", "ver")
    page.press("#find-tag", "Enter")

    assert none == "0 of 2 tags"
    assert page.inner_text("[data-chosen]") == "Noun; Verb"
    assert bench.asked() == []


def test_ticking_all_says_what_it_comes_to(bench: Bench) -> None:
    page = bench.open(TICKING, "winoground/ask_admin.js")
    at_first = page.is_disabled("button")
    page.locator("[name=example]").first.check()
    is_between = page.evaluate("document.querySelector('[data-all]').indeterminate")
    page.check("[data-all]")

    assert (at_first, is_between) == (True, True)
    assert page.inner_text("[data-count]") == "2 examples, 8 questions, 6 answers"


@pytest.mark.parametrize(
    ("clipboard", "said"),
    [("() => Promise.resolve()", "Copied."), ("() => Promise.reject(new Error('no'))", "press Ctrl+C")],
)
def test_token_is_copied_or_at_least_selected(bench: Bench, clipboard: str, said: str) -> None:
    own = f"Object.defineProperty(navigator, 'clipboard', {{ value: {{ writeText: {clipboard} }} }})"
    page = bench.open(
        '<input id="k" value="secret"><button data-copy="k">Copy</button><p data-copied></p>',
        "copy.js",
        before=own,
    )
    page.click("button")

    expect(page.locator("[data-copied]")).to_contain_text(said)


def test_the_slash_leads_to_the_search_unless_something_is_written(bench: Bench) -> None:
    page = bench.open('<input id="search-head"><textarea></textarea>', "hits/search.js")

    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search-head"
    page.focus("textarea")
    page.keyboard.type("a/b")

    assert page.input_value("textarea") == "a/b"
    assert page.input_value("#search-head") == ""

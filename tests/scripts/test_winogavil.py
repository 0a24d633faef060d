"""The association game's pages: words put to the model once, picks, steps, labels that stand alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.scripts.conftest import Answer, Bench

pytestmark = pytest.mark.needs_chromium
SLOT = """<fieldset data-slot="{number}" data-fewest="1" data-most="2"><p data-wrong></p>
  <input data-cue><button type="button" data-test>Test</button><p data-said></p>
  <ul data-rules><li data-rule="count"></li><li data-rule="word"></li><li data-rule="other"></li>
  <li data-count></li></ul>
  <label><input type="checkbox" data-place><b data-badge hidden></b></label>
  <label><input type="checkbox" data-place><b data-badge hidden></b></label>
  <label><input type="checkbox" data-place><b data-badge hidden></b></label></fieldset>"""
ASK = """<form method="post" action="/answer/" data-ask="/ask/" data-verdict="/verdict/" data-work="w"
  data-fooled="Fooled %d %%." data-bonus="Bonus %s." data-nobonus="No bonus." data-waiting="Waiting."
  data-late="Late." data-away="Away." data-ready="Ready." data-untested="Word %d." data-sending="Sending."
  data-found="found" data-taken="taken" data-missed="missed"><input name="token" value="t">{slots}
  <button type="submit">Submit</button><p data-status></p></form>"""
CHOOSE = """<form method="post" action="/answer/" data-choose data-work="w" data-ready="Ready."
  data-more="%d more." data-fewer="%d fewer." data-sending="Sending.">
  <fieldset data-question data-k="1" data-practice><p data-count></p>
  <input type="checkbox" name="p" value="1"></fieldset>
  <fieldset data-question data-k="2"><p data-count></p><input type="checkbox" name="q" value="1">
  <input type="checkbox" name="q" value="2"><input type="checkbox" name="q" value="3"></fieldset>
  <button type="submit">Submit</button><p data-status></p></form>"""
STEPS = """<form method="post" action="/answer/" data-steps data-work="w"
  data-complete="complete" data-open="open">
  <section data-step><h2 tabindex="-1">One</h2><fieldset id="one"></fieldset></section>
  <section data-step><h2 tabindex="-1">Two</h2><input name="a"></section>
  <progress data-progress hidden max="1"></progress><p data-last>The end</p>
  <ol data-overview hidden><li><button type="button" data-go="0">1</button><b data-state></b></li></ol>
  <button type="button" data-back>Back</button><button type="button" data-next>Next</button></form>"""
LABEL = """<form method="post" action="/answer/" data-choose data-work="w"
  data-ready="Ready." data-left="Question %d." data-sending="Sending.">
  <div data-question><input type="checkbox" name="q" value="a">
  <input type="checkbox" name="q" value="b"><input type="checkbox" name="q" value="none" data-alone></div>
  <button type="submit">Submit</button><p data-status></p></form>"""


def ask(bench: Bench, *, slots: int = 1) -> Page:
    form = ASK.format(slots="".join(SLOT.format(number=number + 1) for number in range(slots)))
    return bench.open(form, "winogavil/ask.js")


def write(page: Page, cue: str, *, slot: int = 0) -> None:
    part = page.locator("[data-slot]").nth(slot)
    part.locator("[data-place]").first.check()
    part.locator("[data-cue]").fill(cue)
    part.locator("[data-test]").dispatch_event("click")  # also where it looks out of use


def said(page: Page, *, slot: int = 0) -> str:
    return page.locator("[data-said]").nth(slot).inner_text()


def in_turn(*answers: Answer) -> Iterator[Answer]:
    yield from answers


def test_word_is_asked_once_and_its_verdict_shown(bench: Bench) -> None:
    verdict = {"state": "answered", "chosen": [0], "predicted": [0, 1], "fool": 50, "bonus": "0.03"}
    coming = in_turn((200, {"state": "waiting"}), (200, verdict))
    bench.answers["/ask/"] = lambda: (200, {"state": "waiting"})
    bench.answers["/verdict/"] = lambda: next(coming)
    page = ask(bench)
    write(page, " royal ")

    expect(page.locator("[data-said]")).to_have_text("Fooled 50 %. Bonus 0.03.")
    badges = page.locator("[data-badge]").all_inner_texts()
    assert bench.asked()[0] == ("/ask/", {"token": "t", "slot": "1", "cue": "royal", "chosen": "0"})
    assert [address for address, _ in bench.asked()].count("/ask/") == 1
    assert badges == ["✓ found", "✗ taken", ""]
    assert page.is_disabled("[data-test]")
    assert page.inner_text("[data-status]") == "Ready."


@pytest.mark.parametrize(("cue", "picks"), [("two words", 1), ("royal", 0), ("", 1)])
def test_word_that_breaks_a_rule_is_not_asked(bench: Bench, cue: str, picks: int) -> None:
    page = ask(bench)
    page.fill("[data-cue]", cue)
    for place in range(picks):
        page.locator("[data-place]").nth(place).check()
    page.press("[data-cue]", "Enter")

    assert bench.asked() == []
    assert page.get_attribute("[data-test]", "aria-disabled") == "true"


def test_refused_word_may_be_mended_and_a_network_that_fails_loses_nothing(bench: Bench) -> None:
    coming = in_turn((409, {"problem": "It names a picture."}), (429, {"problem": "Too many."}))
    bench.answers["/ask/"] = lambda: next(coming)
    bench.answers["/verdict/"] = lambda: (200, {"state": "answered", "chosen": [0], "fool": 100})
    page = ask(bench)
    write(page, "lion")
    expect(page.locator("[data-wrong]")).to_have_text("It names a picture.")
    expect(page.locator("[data-cue]")).to_be_focused()
    expect(page.locator("[data-cue]")).to_have_attribute("aria-invalid", "true")
    is_open = page.is_enabled("[data-cue]")
    write(page, "royal")

    expect(page.locator("[data-said]")).to_have_text("Fooled 100 %.")
    expect(page.locator("[data-wrong]")).to_be_empty()
    assert is_open


def test_next_word_shows_when_the_first_is_stored_and_must_be_another(bench: Bench) -> None:
    bench.answers["/ask/"] = lambda: (200, {"state": "answered", "chosen": [0], "fool": 0, "bonus": "0"})
    page = ask(bench, slots=2)
    hidden = page.locator("[data-slot]").nth(1).is_hidden()
    write(page, "royal")
    expect(page.locator("[data-slot]").nth(1)).to_be_visible()
    write(page, "ROYAL", slot=1)

    assert hidden
    assert said(page) == "Fooled 0 %. No bonus."
    assert [address for address, _ in bench.asked(1)] == ["/ask/"]
    assert page.inner_text("[data-status]") == "Word 2."


def test_submit_waits_while_the_model_thinks_and_for_no_late_one(bench: Bench) -> None:
    state = {"state": "waiting"}
    bench.answers["/ask/"] = lambda: (200, {"state": "waiting"})
    bench.answers["/verdict/"] = lambda: (200, state)
    page = ask(bench)
    write(page, "royal")
    expect(page.locator("[data-status]")).to_have_text("Waiting.")
    held = page.get_attribute("button[type=submit]", "aria-disabled")

    state["state"] = "late"

    expect(page.locator("[data-said]")).to_have_text("Late.")
    expect(page.locator("[data-status]")).to_have_text("Ready.")
    assert (held, page.get_attribute("button[type=submit]", "aria-disabled")) == ("true", "false")


def test_verdict_that_is_there_lets_submit_go(bench: Bench) -> None:
    bench.answers["/ask/"] = lambda: (200, {"state": "answered", "chosen": [0], "fool": 0, "bonus": "0"})
    page = ask(bench)
    write(page, "royal")

    expect(page.locator("[data-status]")).to_have_text("Ready.")
    assert page.get_attribute("button[type=submit]", "aria-disabled") == "false"


def test_draft_of_a_word_outlives_a_reload_and_submit_waits_for_every_word(bench: Bench) -> None:
    page = ask(bench)
    page.fill("[data-cue]", "royal")
    page.locator("[data-place]").nth(2).check()
    page.reload()
    page.wait_for_function("document.querySelector('[data-status]').textContent")
    page.dispatch_event("[type=submit]", "click")

    assert page.input_value("[data-cue]") == "royal"
    assert page.locator("[data-place]").nth(2).is_checked()
    assert bench.asked() == []


def test_picks_are_counted_and_hold_submit_back_until_they_are_right(bench: Bench) -> None:
    page = bench.open(CHOOSE, "frame/choose.js")
    status = page.locator("[data-status]")
    steps = [status.inner_text()]
    for place in range(3):
        page.locator("[name=q]").nth(place).check()
        steps.append(status.inner_text())
    page.dispatch_event("[type=submit]", "click")
    held_back = bench.asked() == []
    page.locator("[name=q]").nth(0).uncheck()

    assert steps == ["2 more.", "1 more.", "Ready.", "1 fewer."]
    assert held_back
    assert status.inner_text() == "Ready."
    assert page.locator("[data-count]").all_inner_texts() == ["0 / 1", "2 / 2"]


def test_picks_outlive_a_reload_and_are_sent_once(bench: Bench) -> None:
    page = bench.open(CHOOSE, "frame/choose.js")
    for value in ("1", "3"):
        page.check(f"[name=q][value='{value}']")
    page.reload()
    expect(page.locator("[data-status]")).to_have_text("Ready.")
    page.evaluate("for (const _ of [1, 2]) document.querySelector('[type=submit]').click()")

    assert bench.asked(1) == [("/answer/", {"q": "3"})]  # of two with one name the bench shows the last


def test_steps_go_on_by_enter_and_only_the_last_hands_in(bench: Bench) -> None:
    page = bench.open(STEPS, "frame/steps.js")
    first = page.locator("[data-step]:visible h2").inner_text()
    page.evaluate("document.querySelector('form').requestSubmit()")
    held_back = bench.asked() == []
    second = page.locator("[data-step]:visible h2").inner_text()
    has_focus = page.evaluate("document.activeElement.textContent")
    page.reload()
    page.wait_for_selector("[data-step]:visible h2:text('Two')")
    page.press("[name=a]", "Enter")

    assert (first, second, has_focus, held_back) == ("One", "Two", "Two", True)
    assert bench.asked(1) == [("/answer/", {})]


def test_overview_tells_which_steps_are_done(bench: Bench) -> None:
    page = bench.open(STEPS, "frame/steps.js")
    before = page.inner_text("[data-state]")
    page.evaluate("document.querySelector('#one').toggleAttribute('data-done', true)")

    expect(page.locator("[data-state]")).to_have_text("✓ complete")
    assert before == "○ open"


def test_label_that_stands_alone_takes_the_others_away_and_the_other_way_round(bench: Bench) -> None:
    page = bench.open(LABEL, "frame/choose.js")
    box = {value: page.locator(f"[value={value}]") for value in ("a", "b", "none")}
    states = [page.inner_text("[data-status]")]
    for value in ("a", "b", "none", "b"):
        box[value].check()
        states.append(" ".join(name for name, one in box.items() if one.is_checked()))

    assert states == ["Question 1.", "a", "a b", "none", "b"]
    assert page.inner_text("[data-status]") == "Ready."

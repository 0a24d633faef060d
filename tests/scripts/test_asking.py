"""Pages that say what is still missing: questions of any family, the exception procedure, weird images."""

import pytest
from playwright.sync_api import Page, expect

from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
QUESTIONS = """<form method="post" action="/answer/" data-asking data-work="w" {again}
  data-left="Question %d." data-ready="Ready." data-sending="Sending." data-choice="Choose."
  data-text="Write.">
  <fieldset data-question><input type="radio" name="c" value="yes" data-entry="c">
  <input type="radio" name="c" value="no" data-entry="c"><b data-wrong="c"></b></fieldset>
  <fieldset data-question><input name="t" data-entry="t"><b data-wrong="t"></b>
  <input name="o" data-entry="o" data-optional></fieldset>
  <button>Submit</button><p data-status></p></form>"""
PREMISE = """<form method="post" action="/answer/" data-asking data-work="w" data-left="Question %d."
  data-ready="Ready." data-sending="Sending." data-sentence="Write a sentence." data-word="Write a word."
  data-brackets="Put one pair in brackets." data-one-word="One word." data-outcome="Not the outcome."
  data-elsewhere="Not the pair." data-differ="Two words." data-order="The other way round?">
  <fieldset data-question><div data-part="premise" data-generic="old" data-exception="new">
  <input name="s" data-entry="sentence"><b data-wrong="sentence"></b>
  <ul><li data-rule="brackets"></li><li data-rule="differ"></li></ul>
  <div data-filled hidden><p><i data-with="generic_word"></i></p>
  <p><i data-with="exception_word"></i></p></div>
  <input name="g" data-entry="generic_word"><b data-wrong="generic_word"></b>
  <input name="e" data-entry="exception_word"><b data-wrong="exception_word"></b>
  <input type="hidden" name="seen" data-seen><p data-said></p></div></fieldset>
  <input data-entry="exception_1" hidden><button type="submit">Submit</button><p data-status></p></form>"""
CONTROL = """<form data-asking><fieldset data-question><textarea id="why" aria-invalid="true"></textarea>
  <b data-wrong="text">Write.</b><input type="checkbox" data-instead-of="why"></fieldset></form>"""
MARKS = """<fieldset><input type="checkbox" name="m" id="a"><input type="checkbox" name="m" id="b">
  <input type="checkbox" name="m" id="none" data-alone></fieldset>"""
WORKSPACE = """<form method="post" action="/keep/" data-send data-sending="Sending.">
  <input name="normal_element">  <input name="shared_element"><input name="weird_element">
  <p data-pair data-words="%1 goes with %2, %3 does not."></p>
  <button>Keep</button><p data-status></p></form>"""


def questions(bench: Bench, *, again: bool = False) -> Page:
    return bench.open(QUESTIONS.format(again="data-again" if again else ""), "questions/questions.js")


def send(page: Page) -> None:
    page.evaluate("document.querySelector('form').requestSubmit()")


def test_pages_of_the_exception_procedure_say_which_question_is_done_for_the_keys(bench: Bench) -> None:
    picks = """<form method="post" action="/answer/" data-asking data-left="Question %d." data-ready="Ready."
      data-choice="Choose."><fieldset data-question><div data-part="pick">
      <fieldset id="a"><input type="radio" name="a" value="yes" data-entry="a" data-key="y">
      <input type="radio" name="a" value="no" data-entry="a" data-key="n"><b data-wrong="a"></b></fieldset>
      <fieldset id="b"><input type="radio" name="b" value="yes" data-entry="b" data-key="y">
      <input type="radio" name="b" value="no" data-entry="b" data-key="n"><b data-wrong="b"></b></fieldset>
      </div></fieldset><div class="submitbar"><button type="submit">Submit</button></div><p data-status></p>
      <label data-keys hidden><input type="checkbox" data-keys-on checked> Keys</label></form>"""
    page = bench.open(picks, "winoventi/asking.js", "frame/answer_keys.js")

    page.keyboard.press("y")
    half = page.locator("[data-done]").count()
    page.keyboard.press("n")
    page.locator("[data-done]").wait_for()
    page.keyboard.press("Enter")

    assert half == 0
    assert bench.asked(1) == [("/answer/", {"a": "yes", "b": "no"})]


def test_what_is_missing_is_told_at_submit_and_forgiven_when_it_is_there(bench: Bench) -> None:
    page = questions(bench)
    at_first = page.inner_text("[data-status]")
    send(page)
    told = [page.inner_text(f"[data-wrong={entry}]") for entry in ("c", "t")]
    has_focus = page.evaluate("document.activeElement.name")
    page.check("[value=yes]")
    page.fill("[name=t]", "some")

    assert (at_first, told, has_focus) == ("Question 1.", ["Choose.", "Write."], "c")
    assert bench.asked() == []
    assert page.locator("[aria-invalid]").count() == 0
    assert page.inner_text("[data-status]") == "Ready."


def test_answer_is_sent_once_and_what_is_optional_may_be_missing(bench: Bench) -> None:
    page = questions(bench)
    page.check("[value=no]")
    page.fill("[name=t]", "some")
    page.evaluate("for (const _ of [1, 2]) document.querySelector('form').requestSubmit()")

    assert bench.asked(1) == [("/answer/", {"c": "no", "t": "some"})]


@pytest.mark.parametrize(("again", "text"), [(False, "some"), (True, "")])
def test_draft_comes_back_unless_the_server_shows_the_answer_again(
    bench: Bench, again: bool, text: str
) -> None:
    page = questions(bench, again=again)
    page.check("[value=no]")
    page.fill("[name=t]", "some")
    page.reload()
    page.wait_for_function("document.querySelector('[data-status]').textContent")

    assert page.input_value("[name=t]") == text
    assert page.is_checked("[value=no]") != again


def test_mistake_is_told_after_a_pause_and_what_is_missing_only_at_submit(clocked: Bench) -> None:
    page = clocked.open(PREMISE, "winoventi/asking.js")
    page.fill("[name=s]", "Jim was early for work")
    while_typing = page.inner_text("[data-wrong=sentence]")
    page.clock.run_for(600)
    after = page.inner_text("[data-wrong=sentence]")
    words = page.inner_text("[data-wrong=generic_word]")
    send(page)

    assert (while_typing, after, words) == ("", "Put one pair in brackets.", "")
    assert page.inner_text("[data-wrong=generic_word]") == "Write a word."
    assert page.evaluate("document.activeElement.name") == "s"
    assert clocked.asked() == []


def test_mistake_that_is_mended_is_forgiven_at_once(clocked: Bench) -> None:
    page = clocked.open(PREMISE, "winoventi/asking.js")
    page.fill("[name=s]", "Jim was early for work")
    send(page)
    before = page.locator("[aria-invalid]").count()

    page.fill("[name=s]", "Jim was [early / late] for work")
    page.fill("[name=g]", "early")

    assert before == 3
    assert [page.inner_text(f"[data-wrong={entry}]") for entry in ("sentence", "generic_word")] == ["", ""]
    assert page.inner_text("[data-wrong=exception_word]") == "Write a word."
    assert page.locator("[aria-invalid]").count() == 1


def test_rules_and_sentences_follow_at_every_key(bench: Bench) -> None:
    page = bench.open(PREMISE, "winoventi/asking.js")
    page.fill("[name=s]", "Jim was [early / late] for work")
    page.fill("[name=g]", "early")

    assert page.locator(".kept").count() == 2
    assert page.locator("[data-filled] p:visible").all_inner_texts() == ["Jim was early for work."]


def test_what_is_odd_is_said_and_may_be_sent_all_the_same(clocked: Bench) -> None:
    page = clocked.open(PREMISE, "winoventi/asking.js")
    page.fill("[name=s]", "Jim was [early / late] for work.")
    page.fill("[name=g]", "late")
    page.fill("[name=e]", "early")
    page.clock.run_for(600)
    said = page.inner_text("[data-said]")
    send(page)

    ((_, sent),) = clocked.asked(1)
    assert said == "The other way round?"
    assert (sent["g"], sent["e"], sent["seen"]) == ("late", "early", "yes")


def test_tick_that_nothing_is_weird_stands_for_the_text(bench: Bench) -> None:
    page = bench.open(CONTROL, "whoops/control.js")
    page.check("[data-instead-of]")
    ticked = page.evaluate("'optional' in document.querySelector('#why').dataset")
    told = page.inner_text("[data-wrong]")
    page.uncheck("[data-instead-of]")

    assert (ticked, told) == (True, "")
    assert page.evaluate("'optional' in document.querySelector('#why').dataset") is False


def test_none_of_them_and_a_mark_exclude_each_other(bench: Bench) -> None:
    page = bench.open(MARKS, "frame/alone.js")
    states = []
    for box in ("a", "b", "none", "a"):
        page.check(f"#{box}")
        states.append([one for one in ("a", "b", "none") if page.is_checked(f"#{one}")])

    assert states == [["a"], ["a", "b"], ["none"], ["a"]]


def test_pair_is_shown_as_a_sentence_once_it_is_whole_and_sent_once(bench: Bench) -> None:
    page = bench.open(WORKSPACE, "whoops/workspace.js")
    page.fill("[name=normal_element]", "A cat")
    page.fill("[name=shared_element]", "a mat")
    half = page.inner_text("[data-pair]")
    page.fill("[name=weird_element]", "a %1")
    whole = page.inner_text("[data-pair]")
    page.evaluate("for (const _ of [1, 2]) document.querySelector('form').requestSubmit()")

    assert (half, whole) == ("", "A cat goes with a mat, a %1 does not.")
    assert len(bench.asked(1)) == 1
    expect(page.locator("[data-status]")).to_have_text("Sending.")

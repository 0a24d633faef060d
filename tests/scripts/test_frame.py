"""Scripts of every question page: heartbeats, drafts, reports."""

import pytest
from playwright.sync_api import expect

from tests.scripts.conftest import Bench

pytestmark = pytest.mark.needs_chromium
BEAT = 'frame/beat.js data-beat="/beat/"'
TOKEN = '<form><input type="hidden" name="token" value="t1"></form>'
DRAFTS = "import('/static/frame/drafts.js')"
REPORT = """<form data-report data-away="No network." action="/report/">
  <input name="about" value="7"><button>Report</button><p data-said></p></form>"""


def beats(bench: Bench) -> int:
    return len(bench.asked())


def test_beats_while_somebody_is_at_work(clocked: Bench) -> None:
    page = clocked.open(TOKEN, BEAT)
    at_once = beats(clocked)
    page.clock.run_for(15_000)

    assert (at_once, beats(clocked)) == (1, 2)
    assert clocked.asked()[0] == ("/beat/", {"token": "t1"})


def test_beats_end_a_minute_after_the_last_sign_and_begin_again_with_the_next(clocked: Bench) -> None:
    page = clocked.open(TOKEN, BEAT)
    page.clock.run_for(300_000)
    while_idle = beats(clocked)
    page.keyboard.press("a")

    assert while_idle == 4
    assert beats(clocked) == 5


@pytest.mark.parametrize(("status", "later"), [(403, 1), (429, 3), (500, 3)])
def test_beats_end_when_they_are_refused_for_good(clocked: Bench, status: int, later: int) -> None:
    clocked.answers["/beat/"] = lambda: (status, "")
    page = clocked.open(TOKEN, BEAT)
    beats(clocked)
    page.clock.run_for(15_000)
    beats(clocked)
    page.clock.run_for(15_000)

    assert beats(clocked) == later


def test_page_without_a_token_sends_no_beat(bench: Bench) -> None:
    bench.open("<p>A preview.</p>", BEAT)

    assert beats(bench) == 0


def test_draft_comes_back_after_a_reload_and_belongs_to_its_work(bench: Bench) -> None:
    page = bench.open("")
    page.evaluate(f"{DRAFTS}.then(({{ remember }}) => remember('w1', {{ cue: 'royal' }}))")
    page.reload()

    assert page.evaluate(f"{DRAFTS}.then(({{ recall }}) => recall('w1'))") == {"cue": "royal"}
    assert page.evaluate(f"{DRAFTS}.then(({{ recall }}) => recall('w2'))") == {}


def test_draft_is_kept_in_the_history_where_the_store_is_denied(bench: Bench) -> None:
    denied = "{ get() { throw new DOMException('denied', 'SecurityError'); } }"
    page = bench.open("", before=f"Object.defineProperty(window, 'sessionStorage', {denied})")
    page.evaluate(f"{DRAFTS}.then(({{ remember }}) => remember('w1', {{ cue: 'royal' }}))")
    page.reload()

    assert page.evaluate(f"{DRAFTS}.then(({{ recall }}) => recall('w1'))") == {"cue": "royal"}


@pytest.mark.parametrize(
    ("answer", "said", "may_repeat"),
    [
        ((200, {"words": "Thank you."}), "Thank you.", False),
        ((429, {"problem": "Too many."}), "Too many.", True),
        ((502, "<h1>Bad gateway</h1>"), "No network.", True),
    ],
)
def test_report_is_sent_without_leaving_the_page(
    bench: Bench, answer: tuple[int, object], said: str, may_repeat: bool
) -> None:
    bench.answers["/report/"] = lambda: answer
    page = bench.open(REPORT, "frame/report.js")
    page.click("button")

    expect(page.locator("[data-said]")).to_have_text(said)
    assert page.is_enabled("button") == may_repeat
    assert bench.asked(1) == [("/report/", {"about": "7"})]


def test_saved_answer_is_handed_over_at_once(bench: Bench) -> None:
    bench.answers["/submit/"] = lambda: (200, "<h1>Handed in</h1>")
    form = '<form method="post" action="/submit/" data-hand-over><input name="a" value="1"></form>'
    page = bench.open(form, "frame/hand_over.js")

    expect(page.locator("h1")).to_have_text("Handed in")
    assert bench.asked(1) == [("/submit/", {"a": "1"})]


def test_device_of_a_preview_stays_chosen_on_its_next_page(bench: Bench) -> None:
    values = ("desktop", "phone")
    boxes = "".join(f'<input type="radio" name="device" value="{value}">' for value in values)
    page = bench.open(f'<div class="device">{boxes}</div>', "frame/device.js")
    page.check('[value="phone"]')

    page.reload()

    expect(page.locator('[value="phone"]')).to_be_checked()

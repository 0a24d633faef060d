"""The worker site's scripts, and the one that requesters' pages call."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.scripts.conftest import ORIGIN, Bench

pytestmark = pytest.mark.needs_chromium
WORK = """
<div data-work data-left="{left}" data-done="/done/"
     data-at-300="Five minutes left." data-at-60="One minute left.">
  <span data-clock></span><p data-said></p>
  <form data-next hidden method="post" action="/next/"><input type="checkbox" name="next" {next}></form>
</div>"""
EXTERNAL = "marketplace/external_hit.js"


def work(*, left: int, following: str = "") -> str:
    return WORK.format(left=left, next=following)


@pytest.mark.parametrize(("left", "shown"), [(3725, "1:02:05"), (900, "15:00"), (59, "00:59")])
def test_clock_shows_what_the_server_says_is_left(clocked: Bench, left: int, shown: str) -> None:
    page = clocked.open(work(left=left), "marketplace/work.js")

    expect(page.locator("[data-clock]")).to_have_text(shown)


def test_clock_says_five_minutes_and_one_and_loads_the_page_anew_at_the_end(clocked: Bench) -> None:
    page = clocked.open(work(left=310), "marketplace/work.js")
    said = page.locator("[data-said]")
    at_first = said.text_content()
    page.clock.run_for(11_000)
    at_300 = said.text_content()
    page.clock.run_for(240_000)
    at_60 = said.text_content()
    with page.expect_navigation():
        page.clock.run_for(60_000)

    assert (at_first, at_300, at_60) == ("", "Five minutes left.", "One minute left.")


def post(page: Page, *, data: str, origin: str) -> None:
    page.evaluate(f"dispatchEvent(new MessageEvent('message', {{ data: '{data}', origin: '{origin}' }}))")


def test_only_the_own_frame_says_that_work_was_handed_in(bench: Bench) -> None:
    page = bench.open(work(left=900), "marketplace/work.js")
    post(page, data="submitted", origin="http://evil.example")
    post(page, data="other", origin=ORIGIN)
    bench.asked()
    before = page.url
    post(page, data="submitted", origin=ORIGIN)
    page.wait_for_url("**/done/")

    assert before == f"{ORIGIN}/"


def test_next_hit_is_accepted_where_it_was_asked_for(bench: Bench) -> None:
    bench.answers["/next/"] = lambda: (200, "<h1>Next</h1>")
    page = bench.open(work(left=900, following="checked"), "marketplace/work.js")
    post(page, data="submitted", origin=ORIGIN)

    expect(page.locator("h1")).to_have_text("Next")
    assert bench.asked(1) == [("/next/", {"next": "on"})]


@pytest.mark.parametrize("agrees", [True, False])
def test_what_undoes_something_asks_before(bench: Bench, agrees: bool) -> None:
    bench.answers["/return/"] = lambda: (200, "")
    form = '<form method="post" action="/return/" data-confirm="Return it?"><button>Return</button></form>'
    page = bench.open(form, "marketplace/confirm.js")
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept() if agrees else dialog.dismiss()

    page.once("dialog", answer)
    page.click("button")

    assert asked == ["Return it?"]
    assert [address for address, _ in bench.asked(int(agrees))] == (["/return/"] if agrees else [])


@pytest.mark.parametrize(
    ("query", "preview", "host"),
    [
        ("?assignmentId=A1&turkSubmitTo=https%3A%2F%2Fmarket.example%2F", False, "https://market.example"),
        ("?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE", True, "https://www.mturk.com"),
    ],
)
def test_requesters_pages_learn_what_amazons_script_tells(
    bench: Bench, query: str, preview: bool, host: str
) -> None:
    form = '<input id="assignmentId"><button id="submitButton">Send</button>'
    page = bench.open(form, EXTERNAL, address=f"/{query}")
    page.evaluate("turkSetAssignmentID()")

    assert page.evaluate("turkGetSubmitToHost()") == host
    assert page.evaluate("turkGetParam('absent', 'none')") == "none"
    assert page.is_disabled("#submitButton") == preview
    assert page.input_value("#assignmentId") == page.evaluate("turkGetAssignmentId()")
    assert ("ACCEPT" in page.inner_text("#submitButton")) == preview


def test_writing_what_other_stands_for_chooses_other(bench: Bench) -> None:
    form = """<p data-problems tabindex="-1">Wrong.</p>
      <select><option>A</option><option data-other="x">Other</option></select><input id="x">
      <input type="radio" data-other="y"><input id="y">"""
    page = bench.open(form, "marketplace/question_form.js")
    at_problems = page.evaluate("document.activeElement.matches('[data-problems]')")
    page.fill("#y", " ")
    by_a_space = page.is_checked("[type=radio]")
    page.fill("#x", "another")
    page.fill("#y", "another")

    assert (at_problems, by_a_space) == (True, False)
    assert page.input_value("select") == "Other"
    assert page.is_checked("[type=radio]")


def test_frame_tells_the_page_around_it(bench: Bench) -> None:
    page = bench.open("", "marketplace/submitted.js")
    page.evaluate("addEventListener('message', ({ data }) => { document.title = data; })")

    page.add_script_tag(url="/static/marketplace/submitted.js?again")
    page.wait_for_function("document.title === 'submitted'")


@pytest.mark.parametrize(
    ("ask", "origin", "shown"),
    [
        (f"{ORIGIN}/mine/", ORIGIN, True),
        ("https://evil.example/", ORIGIN, False),
        (f"{ORIGIN}/mine/", "https://evil.example", False),
        ("javascript:alert(1)", ORIGIN, False),
    ],
)
def test_only_the_frame_says_where_its_own_site_is_asked(
    bench: Bench, ask: str, origin: str, shown: bool
) -> None:
    bench.answers["/frame/"] = lambda: (200, "<h1>Work</h1>")
    framed = '<a data-ask hidden>Ask</a></div><iframe src="/frame/"></iframe>'
    page = bench.open(work(left=900).replace("</div>", framed), "marketplace/work.js")

    page.evaluate(
        "([ask, origin]) => dispatchEvent(new MessageEvent('message', { data: { ask }, origin }))",
        [ask, origin],
    )

    assert page.locator("[data-ask]").is_visible() == shown


def test_a_framed_page_tells_where_it_is_asked(bench: Bench) -> None:
    bench.answers["/frame/"] = lambda: (
        200,
        '<a data-ask href="/mine/">Ask</a><script src="/static/statement/ask.js"></script>',
    )
    page = bench.open("<output></output>")
    page.evaluate("addEventListener('message', ({ data }) => { document.title = data.ask; })")

    page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), { src: '/frame/' }))")

    page.wait_for_function(f"document.title === '{ORIGIN}/mine/'")


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Asia/Kolkata", "1 Jan 2027, 01:06"),
        ("America/New_York", "31 Dec 2026, 14:36"),
        ("UTC", "31 Dec 2026, 19:36"),
    ],
)
def test_moments_are_told_in_the_readers_own_time_zone(bench: Bench, zone: str, shown: str) -> None:
    session = bench.page.context.new_cdp_session(bench.page)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": zone})
    written = '<time datetime="2026-12-31T19:36:00+00:00" data-moment>31 Dec 2026, 19:36 UTC</time>'

    page = bench.open(f"{written}<time>noon</time>", "times.js")

    expect(page.locator("[data-moment]")).to_have_text(shown)
    expect(page.locator("[data-moment]")).to_have_attribute("title", "31 Dec 2026, 19:36 UTC")
    expect(page.locator("time").last).to_have_text("noon")
    session.send("Emulation.setTimezoneOverride", {"timezoneId": ""})


TICKS = """
<form data-ticks method="post">
  <input type="checkbox" name="hit" value="a"> <input type="checkbox" name="hit" value="b">
  <label data-all hidden><input type="checkbox"> All on this page</label>
  <span role="status" data-ticked="ticked"></span>
</form>"""


def test_ticks_are_counted_and_all_are_ticked_at_once(bench: Bench) -> None:
    page = bench.open(TICKS, "marketplace/ticks.js")
    told, everything = page.get_by_role("status"), page.get_by_label("All on this page")

    expect(told).to_have_text("0 ticked")
    page.locator("[value=a]").check()
    expect(told).to_have_text("1 ticked")
    everything.check()
    expect(told).to_have_text("2 ticked")
    page.locator("[value=b]").uncheck()
    expect(everything).not_to_be_checked()
    expect(told).to_have_text("1 ticked")

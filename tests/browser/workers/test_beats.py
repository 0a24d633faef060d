"""The work page sends heartbeats while it is seen and used, and at no other time."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from playwright.sync_api import Page, Request, Response, expect

from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.browser.stage import Desk, sign_in
from tests.conftest import Sites
from tests.hits.batches.test_hourly_pay import make_paid

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def beats(page: Page) -> list[Request]:
    """Heartbeats that the page sends from now on."""
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/beat/") else None)
    return sent


def wait(page: Page, seconds: int) -> None:
    """Advance the page's own clock, which runs as fast as the test needs."""
    page.clock.run_for(1000 * seconds)
    page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => resolve()))")


@pytest.fixture
def at_work(page: Page, desk: Desk) -> Page:
    page.clock.install()
    return page


def test_a_page_in_use_sends_a_beat_every_fifteen_seconds(at_work: Page, desk: Desk) -> None:
    sent = beats(at_work)
    with at_work.expect_response(lambda response: response.url.endswith("/beat/")) as first:
        at_work.goto(desk.frame_url)

    for _ in range(3):
        at_work.keyboard.press("Tab")
        wait(at_work, 15)

    assert (first.value.status, len(sent)) == (204, 4)
    assert Assignment.objects.get().active_s == 0  # to our own clock no time has passed


def test_a_beat_carries_the_token_and_no_cookie(at_work: Page, desk: Desk) -> None:
    at_work.context.add_cookies([{"name": "anything", "value": "x", "url": desk.frame_url}])
    with at_work.expect_request(lambda request: request.url.endswith("/beat/")) as sent:
        at_work.goto(desk.frame_url)

    assert "cookie" not in sent.value.all_headers()
    assert (sent.value.post_data or "").startswith("token=")
    assert len(sent.value.post_data or "") < 1000


def test_an_idle_page_falls_silent_and_speaks_again_when_used(at_work: Page, desk: Desk) -> None:
    sent = beats(at_work)
    at_work.goto(desk.frame_url)

    wait(at_work, 300)
    silent = len(sent)
    at_work.keyboard.press("Tab")
    wait(at_work, 1)

    # At once, and after 15, 30 and 45 seconds; then the page had not been used for a minute.
    assert (silent, len(sent)) == (4, 5)


def test_a_hidden_page_sends_nothing(at_work: Page, desk: Desk) -> None:
    sent = beats(at_work)
    at_work.goto(desk.frame_url)
    at_work.evaluate(HIDE, True)
    wait(at_work, 1)
    until_hidden = len(sent)

    at_work.keyboard.press("Tab")
    wait(at_work, 300)
    while_hidden = len(sent)
    at_work.evaluate(HIDE, False)
    wait(at_work, 1)

    # One at once, and one for the last period in which the page was seen.
    assert (until_hidden, while_hidden, len(sent)) == (2, 2, 3)


def test_a_page_that_was_refused_asks_no_more(at_work: Page, desk: Desk) -> None:
    sent = beats(at_work)
    at_work.route("**/beat/", lambda route: route.fulfill(status=410))
    with at_work.expect_response(lambda response: response.url.endswith("/beat/")):
        at_work.goto(desk.frame_url)
    at_work.wait_for_timeout(100)

    for _ in range(3):
        at_work.keyboard.press("Tab")
        wait(at_work, 15)

    assert len(sent) == 1


def test_a_lost_network_keeps_the_work_going(at_work: Page, desk: Desk) -> None:
    at_work.route("**/beat/", lambda route: route.abort())
    sent = beats(at_work)
    at_work.goto(desk.frame_url)

    at_work.keyboard.press("Tab")
    wait(at_work, 15)

    assert len(sent) == 2
    expect(at_work.get_by_role("button", name="Submit")).to_be_visible()


def test_the_frame_of_the_marketplace_sends_beats(page: Page, desk: Desk, sites: Sites) -> None:
    sign_in(page.context, desk.worker, sites=sites)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)

    is_beat: Callable[[Response], bool] = lambda response: response.url.endswith("/beat/")  # noqa: E731
    with page.expect_response(is_beat) as answered:
        page.goto(desk.url)

    assert (answered.value.status, problems) == (204, [])
    assert Assignment.objects.get().active_s == 0


def test_wages_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    enter(visitor.page, sites)
    terms = {"bonus_rules": [], "fee_schedule": "amazon"}
    batch = make_paid(*range(60, 400, 11), terms=terms, title="Which pictures go together?")
    address = f"{sites.public}/admin/hits/batch/{batch.pk}/wages/"

    visitor.visit("wages", address)
    visitor.visit("wages-propose", f"{address}propose/")
    visitor.page.get_by_role("button", name="Propose").click()
    expect(visitor.page.get_by_text("top-ups are owed now")).to_be_visible()
    visitor.visit("wages-proposed", address)
    Study.objects.update(wage_floor=Decimal("20.00"))
    visitor.visit("wages-higher", address)
    Study.objects.update(wage_floor=None)
    visitor.visit("wages-no-floor", address)
    Assignment.objects.update(status="submitted")
    visitor.visit("wages-empty", address)

    assert visitor.problems == {}

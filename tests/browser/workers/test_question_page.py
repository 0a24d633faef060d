import re
from collections.abc import Sequence

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import FrameLocator, Locator, Page, Request, Response, Route, expect

from hits.sync.services.reconciling import reconcile_everything
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.stage import Desk, sign_in
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def at_work(page: Page, desk: Desk, sites: Sites) -> FrameLocator:
    """The work, opened in the marketplace's frame."""
    sign_in(page.context, desk.worker, sites=sites)
    page.goto(desk.url)
    return framed(page)


def test_question_page_needs_only_a_keyboard(page: Page, at_work: FrameLocator, desk: Desk) -> None:
    for key in in_order(at_work, desk.right):
        tab_to(page, box(at_work, key))
        page.keyboard.press("Space")
    tab_to(page, submit(at_work))
    page.keyboard.press("Enter")

    expect_handed_in(page)
    assert handed_in() == [desk.right]


def test_question_page_says_what_is_missing(at_work: FrameLocator, desk: Desk) -> None:
    said = []

    for key in [*desk.wrong, *desk.right[:2]]:
        said.append(status(at_work).inner_text())
        box(at_work, key).check()
    said.append(status(at_work).inner_text())

    assert said == [
        "Still to pick: 3.",
        "Still to pick: 2.",
        "Still to pick: 1.",
        "Ready to submit.",
        "Too many: take 1 away again.",
    ]


def test_question_page_submit_does_nothing_until_the_picks_are_exactly_k(
    page: Page, at_work: FrameLocator, desk: Desk
) -> None:
    sent = posts(page)

    press_in_vain(at_work)
    pick(at_work, desk.right[:2])
    press_in_vain(at_work)
    pick(at_work, desk.right[2:] + desk.wrong[:1])
    press_in_vain(at_work)
    box(at_work, desk.wrong[0]).uncheck()
    submit(at_work).click()

    expect_handed_in(page)
    assert sent == ["answer", "externalSubmit"]
    assert handed_in() == [desk.right]


def test_question_page_is_the_same_whichever_pictures_are_right(page: Page, desk: Desk) -> None:
    before = html_of(page, desk.frame_url)

    desk.association.places.filter(picture__key=desk.right[0]).update(chosen=False)
    desk.association.places.filter(picture__key=desk.wrong[0]).update(chosen=True)

    assert html_of(page, desk.frame_url) == before


def test_question_page_sends_no_word_of_the_answer(page: Page, desk: Desk, sites: Sites) -> None:
    seen = responses_of(page, site=sites.public)
    sign_in(page.context, desk.worker, sites=sites)
    # The last step is held up, so that its page stays to be read.
    page.route("**/mturk/externalSubmit", lambda route: route.fulfill(status=204))

    page.goto(desk.url)
    pick(framed(page), [*desk.wrong, desk.right[0]])
    bodies = [(response.url, response.text()) for response in seen]
    seen.clear()
    with page.expect_request("**/mturk/externalSubmit"):
        submit(framed(page)).click()
    bodies += [(response.url, response.text()) for response in seen]

    # Styles and scripts are the same for whoever asks, and may name a caption.
    own = [body for url, body in bodies if "/static/" not in url]
    words = re.compile("chosen|predicted|correct|jaccard|score|concept|caption", re.IGNORECASE)
    assert [word for body in own for word in words.findall(body)] == []
    # The question, its style and script, five pictures; the page that submits, and its script.
    assert len(bodies) >= 10


def test_question_page_works_without_any_cookie(page: Page, desk: Desk, sites: Sites) -> None:
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": "somebody", "url": sites.public}]
    )
    page.route(f"{sites.public}/**", pass_on_without_cookies)
    seen = responses_of(page, site=sites.public)
    sign_in(page.context, desk.worker, sites=sites)

    page.goto(desk.url)
    pick(framed(page), desk.right)
    submit(framed(page)).click()

    expect_handed_in(page)
    assert [response.url for response in seen if response.header_value("set-cookie")] == []
    assert handed_in() == [desk.right]


def test_question_page_reloaded_shows_the_same_pictures_in_the_same_order(
    page: Page, at_work: FrameLocator
) -> None:
    before = sources(at_work)

    page.reload()

    assert sources(at_work) == before
    assert len(before) == 5


def test_question_page_double_click_makes_one_submission(
    page: Page, at_work: FrameLocator, desk: Desk
) -> None:
    sent = posts(page)
    pick(at_work, desk.right)

    submit(at_work).dblclick()

    expect_handed_in(page)
    assert sent == ["answer", "externalSubmit"]
    assert handed_in() == [desk.right]


def test_question_page_after_back_still_says_handed_in(page: Page, at_work: FrameLocator, desk: Desk) -> None:
    pick(at_work, desk.right)
    submit(at_work).click()
    expect_handed_in(page)
    sent = posts(page)

    page.go_back()

    expect_handed_in(page)
    assert sent == []
    assert handed_in() == [desk.right]


def test_question_page_in_a_second_tab_changes_nothing_any_more(
    page: Page, at_work: FrameLocator, desk: Desk
) -> None:
    other = page.context.new_page()
    other.goto(desk.url)
    pick(at_work, desk.right)
    submit(at_work).click()
    expect_handed_in(page)

    pick(framed(other), desk.wrong + desk.right[:1])
    submit(framed(other)).click()

    expect(framed(other).locator("main")).to_contain_text("this second answer changed nothing")
    assert handed_in() == [desk.right]


def test_question_page_hands_in_without_javascript(open_page: OpenPage, desk: Desk, sites: Sites) -> None:
    page = open_page(java_script_enabled=False)
    sign_in(page.context, desk.worker, sites=sites)
    page.goto(desk.url)
    pick(framed(page), desk.right)

    submit(framed(page)).click()
    framed(page).get_by_role("button", name="Finish submitting").click()

    expect(framed(page).get_by_role("heading", level=1)).to_have_text("Submitted")
    assert handed_in() == [desk.right]


def test_question_page_without_javascript_refuses_a_wrong_number_of_picks(
    open_page: OpenPage, desk: Desk, sites: Sites
) -> None:
    page = open_page(java_script_enabled=False)
    sign_in(page.context, desk.worker, sites=sites)
    page.goto(desk.url)
    pick(framed(page), desk.right[:2])

    submit(framed(page)).click()

    expect(framed(page).get_by_role("alert")).to_contain_text("needs exactly 3 pictures; 2 were picked")
    assert [row.answer for row in Assignment.objects.all()] == [None]


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def box(frame: FrameLocator, key: str) -> Locator:
    return frame.locator(f'input[value="{key}"]')


def pick(frame: FrameLocator, keys: Sequence[str]) -> None:
    for key in keys:
        box(frame, key).check()


def submit(frame: FrameLocator) -> Locator:
    return frame.get_by_role("button", name="Submit")


def press_in_vain(frame: FrameLocator) -> None:
    """Press a button that is only announced as disabled, which Playwright refuses unless forced."""
    submit(frame).click(force=True)


def status(frame: FrameLocator) -> Locator:
    return frame.get_by_role("status")


def sources(frame: FrameLocator) -> list[str | None]:
    frame.locator("img").last.wait_for()
    return [image.get_attribute("src") for image in frame.locator("img").all()]


def in_order(frame: FrameLocator, keys: Sequence[str]) -> list[str]:
    """The keys in the order of the page."""
    shown = [image.input_value() for image in frame.get_by_role("checkbox").all()]
    return sorted(keys, key=shown.index)


def tab_to(page: Page, target: Locator) -> None:
    """Reach an element with the Tab key: never backwards, and in at most twenty steps."""
    for _ in range(20):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"The Tab key does not lead to {target}.")


def expect_handed_in(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def handed_in() -> list[list[str]]:
    """Picks, one list a worker, that were saved here and have reached the marketplace."""
    reconcile_everything(now=timezone.now())
    rows = Assignment.objects.filter(status=Assignment.Status.SUBMITTED, saved_at__isnull=False)
    return [picks for row in rows for picks in (row.answer or {}).values()]


def posts(page: Page) -> list[str]:
    """Forms that this page sends from now on, by the last part of their address."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.is_navigation_request():
            sent.append(request.url.rstrip("/").rpartition("/")[2])

    page.on("request", note)
    return sent


def responses_of(page: Page, *, site: str) -> list[Response]:
    """Responses of the site from now on, except those without content."""
    seen: list[Response] = []

    def note(response: Response) -> None:
        if response.url.startswith(site) and response.status != 204:
            seen.append(response)

    page.on("response", note)
    return seen


def pass_on_without_cookies(route: Route) -> None:
    headers = {name: value for name, value in route.request.headers.items() if name != "cookie"}
    route.continue_(headers=headers)


def html_of(page: Page, url: str) -> str:
    """The page as it was sent, without its signed values, which are new each time."""
    response = page.goto(url)
    assert response is not None
    return re.sub(r"[\w-]+:[\w-]+:[\w-]{20,}", "", response.text())

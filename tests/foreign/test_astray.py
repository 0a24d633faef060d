"""A page of a requester's own server that has Amazon's submit address fixed in it, and what puts it right."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from crowd.marketplace.models import Assignment
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services.requesters import Credentials
from tests.browser.looking import SIZES
from tests.conftest import Sites
from tests.factories import external_question
from tests.foreign import working
from tests.foreign.serving import serve

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
DOCUMENT = Path("docs/foreign/old-pages.md")
PAGE = """<!DOCTYPE html><title>Colors</title>
<form method="post" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" name="assignmentId"><input name="color" value="red"><button>Send</button></form>"""


class Host(BaseHTTPRequestHandler):
    """The page as it was written for Amazon, and with the lines of our document."""

    def do_GET(self) -> None:
        lines = re.search(r"```html\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
        assert lines
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((PAGE + (lines[1] if self.path.startswith("/right") else "")).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(params=SIZES)
def sized(request: pytest.FixtureRequest, page: Page, settings: LazySettings) -> Page:
    settings.MARKETPLACE_CONTACT = "help@example.org"
    page.set_viewport_size(SIZES[request.param])
    return page


@pytest.fixture
def host() -> Iterator[str]:
    with serve(Host) as url:
        yield url


def test_worker_is_told_that_the_page_handed_in_elsewhere_and_can_return_it(
    sized: Page, sites: Sites, credentials: Credentials, host: str
) -> None:
    question = external_question(f"{host}old")
    frame = working.open_question(sized, question, credentials=credentials, sites=sites)
    told = sized.get_by_role("alert")
    expect(told).to_have_count(0)

    frame.get_by_role("button", name="Send").click()

    expect(told).to_contain_text("tried to go to the address below instead of handing in here")
    expect(told.locator("[data-place]")).to_have_text("www.mturk.com")
    expect(told).to_contain_text("help@example.org")
    expect(told).to_contain_text("turkSubmitTo")
    expect(told.get_by_role("button", name="Return it")).to_be_in_viewport(ratio=1)
    assert Assignment.objects.get().status == Assignment.Status.ACCEPTED
    told.get_by_role("button", name="Return it").click()
    expect(sized.get_by_role("heading", level=1)).not_to_have_text("About colors")
    assert Assignment.objects.get().status == Assignment.Status.RETURNED


def test_the_lines_of_our_document_put_such_a_page_right(
    page: Page, sites: Sites, credentials: Credentials, host: str
) -> None:
    question = external_question(f"{host}right")
    frame = working.open_question(page, question, credentials=credentials, sites=sites)

    frame.get_by_role("button", name="Send").click()

    working.expect_submitted(page)
    assert read_answers(Assignment.objects.get().answer)["color"] == {"red"}

"""The site and the frame on a phone in every language: long words, none at all, and from right to left."""

from dataclasses import dataclass

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import Page, expect

from config.languages import SOURCE
from crowd.marketplace.models import Assignment
from hits.studies.models import Study
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, open_desk, pick, sign_in
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
PAGES = ("", "settings/", "history/", "earnings/", "messages/", "qualifications/", "terms/")
# How far the page can be scrolled sideways, in either direction.
ASIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """A worker on a phone that prefers a language, with work of a study in the same."""

    page: Page
    desk: Desk
    language: str
    direction: str


@pytest.fixture(params=[code for code, _ in settings.LANGUAGES if code != SOURCE])
def speaker(request: pytest.FixtureRequest, open_page: OpenPage, sites: Sites) -> Speaker:
    language, direction = request.param, "rtl" if request.param == "he" else "ltr"
    desk = open_desk(sites)
    Study.objects.update(language=language)
    page = open_page(viewport=SIZES["phone"], reduced_motion="reduce", locale=language)
    sign_in(page.context, desk.worker, sites=sites)
    return Speaker(page=page, desk=desk, language=language, direction=direction)


def test_pages_of_a_worker_look_right(speaker: Speaker, sites: Sites) -> None:
    visitor = Visitor(speaker.page, size=f"{speaker.language}-phone")

    for page in PAGES:
        visitor.visit(page.strip("/") or "list", f"{sites.marketplace}/{page}")
        assert speaker.page.evaluate(ASIDE) == 0, page
        html = speaker.page.locator("html")
        assert (html.get_attribute("lang"), html.get_attribute("dir")) == (
            speaker.language,
            speaker.direction,
        )
    visitor.visit("work", speaker.desk.url)

    assert visitor.problems == {}


def test_work_is_done(speaker: Speaker) -> None:
    page, desk = speaker.page, speaker.desk
    page.goto(desk.url)
    frame = page.frame_locator("iframe")
    expect(frame.locator("html")).to_have_attribute("dir", speaker.direction)
    assert frame.locator("html").evaluate(ASIDE) == 0
    # What the study collects is English, and stays in its direction.
    cue = frame.locator(".cue").first
    expect(cue).to_have_text(desk.association.cue)
    expect(cue).to_have_css("direction", "ltr")

    for key in desk.right:
        pick(frame.locator(f"input[value='{key}']"))
    frame.locator(".submitbar [type=submit]").click()

    with translation.override(speaker.language):
        submitted = gettext("Submitted")
    assert submitted != "Submitted"
    expect(page.get_by_role("heading", level=1)).to_have_text(submitted)
    expect(page.locator("html")).to_have_attribute("dir", speaker.direction)
    assert Assignment.objects.get().status == "Submitted"

"""The page of needed items as one sees it, on the way from a draft's check page and back."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from hits.identity.roles import RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_batch
from tests.scoring.admin.judged_studies import play_crowd
from tests.scoring.quality.odd_people import make_crowd

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_a_draft_is_planned_from_its_check_page(open_page: OpenPage, sites: Sites, size: str) -> None:
    study = play_crowd(make_crowd(odd={}, honest=10, items=60, seed=4)).study
    draft = make_batch(study=study, task="plain.ask", title="The rest of it", reward=Decimal("0.10"))
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page = visitor.page
    log_in(page, make_staff(RESEARCHER, study), sites=sites)

    page.goto(sites.public + reverse("admin:hits_batch_launch", args=[draft.pk]))
    page.get_by_role("link", name="How many items?").click()
    page.get_by_label("Plus or minus, points").fill("4")
    page.get_by_label("Confidence").select_option("99")
    page.get_by_label("Expected share, per cent").fill("50")
    page.get_by_role("button", name="How many items?").click()
    visitor.visit("needed-items", page.url.partition("#")[0])
    # 2.5758² / (4 * 0.04²) is 1036.8; Wilson's interval is a little narrower.
    expect(page.locator("#items + p")).to_contain_text(re.compile(r"103\d items"))
    page.get_by_label("Figure").select_option("alpha")
    page.get_by_role("button", name="Show").click()
    visitor.visit("needed-items-of-alpha", page.url.partition("#")[0])
    page.get_by_role("link", name="Back to the draft").click()

    assert visitor.problems == {}
    expect(page).to_have_url(re.compile(rf"/{draft.pk}/launch/$"))

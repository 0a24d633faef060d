"""The page of quality as one sees it, and the way from there to the work of those chosen."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from hits.identity.roles import REVIEWER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.scoring.admin.judged_studies import play_crowd
from tests.scoring.quality.odd_people import Way, make_crowd

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
ODD = {Way.FAVORS_ONE: 1, Way.HURRIES: 1, Way.GUESSES: 1}


@pytest.mark.parametrize("size", SIZES)
def test_the_page_is_worth_reading_and_one_click_leads_to_review(
    open_page: OpenPage, sites: Sites, size: str
) -> None:
    batch = play_crowd(make_crowd(odd=ODD, honest=12, items=200, seed=6))
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, make_staff(REVIEWER, batch.study), sites=sites)

    visitor.visit("quality", sites.public + reverse("admin:scoring_quality", args=[batch.study_id]))
    chosen = visitor.page.locator("[name='worker']:checked").count()
    visitor.page.get_by_role("button", name="Review the work of those chosen").click()

    assert visitor.problems == {}
    assert chosen >= 2
    expect(visitor.page.locator("summary", has_text="Showing")).to_contain_text(f"{chosen} workers")

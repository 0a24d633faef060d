"""Filters of a provider are chosen by clicking, on the step People of a draft."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from playwright.sync_api import Page, expect

from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from tests.browser.doors import let_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import make_batch
from tests.hits.providers.prolific.house import House, house_at_prolific
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
LANGUAGE = {"Filter": "first-language", "Chosen": ["0"]}


@pytest.fixture
def house() -> Iterator[House]:
    cache.clear()  # of an account with the same key
    with house_at_prolific() as made:
        yield made


@pytest.fixture
def draft(house: House) -> Batch:
    return make_batch(study=house.study, account=house.account, requirements=[LANGUAGE])


def people_step(page: Page, draft: Batch, *, sites: Sites) -> str:
    let_in(page, make_member(RESEARCHER, draft.study), sites=sites)
    return f"{sites.public}/admin/hits/batch/{draft.pk}/step/people/"


def test_a_filter_is_chosen_by_clicking(page: Page, draft: Batch, sites: Sites) -> None:
    page.goto(people_step(page, draft, sites=sites))
    expect(page.get_by_label("English", exact=True)).to_be_checked()

    page.get_by_label("French").check()
    page.get_by_label("Filter of the provider").select_option(label="Age")
    page.get_by_role("button", name="Choose from it above").click()
    expect(page.get_by_label("French")).to_be_checked()
    page.get_by_label("Age, at least").fill("30")
    page.get_by_role("button", name="Save, then: Check and launch").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Check and launch")
    draft.refresh_from_db()
    assert draft.requirements == [
        {"Filter": "first-language", "Chosen": ["0", "1"]},
        {"Filter": "age", "Range": [30, 100]},
    ]


def test_the_step_looks_right(visitor: Visitor, draft: Batch, sites: Sites) -> None:
    address = people_step(visitor.page, draft, sites=sites)

    visitor.visit("filters", address)

    assert visitor.problems == {}

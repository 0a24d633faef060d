"""A participant comes with the whole window, works, and goes back; and how that looks."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from crowd.winogavil.models import Association
from hits.providers.prolific.completion_codes import Ending, code_of
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_consent_text
from tests.hits.providers.prolific.house import House, house_at_prolific

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def house(transactional_db: None) -> Iterator[House]:
    with house_at_prolific() as made:
        yield made


@pytest.fixture
def hit(house: House) -> HIT:
    return house.launch(title="Find the pictures").hits.get()


def address(house: House, hit: HIT, sites: Sites) -> str:
    """Let somebody new take a place. Returns where their browser is sent."""
    controls = house.stand_in.controls
    parts = urlsplit(controls.address_of(controls.take_part(hit.external_id, controls.add_participant())))
    return f"{sites.public}{parts.path}?{parts.query}"


def test_answer_leads_the_browser_back_with_the_code(
    page: Page, house: House, hit: HIT, sites: Sites
) -> None:
    page.goto(address(house, hit, sites))
    assert code_of(hit.token, Ending.COMPLETED) not in page.content()

    for association in Association.objects.filter(item__leases__isnull=False):
        for key in association.chosen_keys:
            page.locator(f'input[value="{key}"]').check()
    page.get_by_role("button", name="Submit").click()

    code = code_of(hit.token, Ending.COMPLETED)
    page.wait_for_url(f"{house.account.worker_site}/submissions/complete?cc={code}")


def test_whoever_does_not_agree_is_led_back(page: Page, house: House, hit: HIT, sites: Sites) -> None:
    make_consent_text(study=house.study)
    page.goto(address(house, hit, sites))

    page.get_by_role("link", name="Return it on the platform").click()

    page.wait_for_url(f"**/submissions/complete?cc={code_of(hit.token, Ending.NO_CONSENT)}")


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_a_visit_look_right(
    open_page: OpenPage, house: House, hit: HIT, sites: Sites, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    came = address(house, hit, sites)

    visitor.visit("participant-work", came)
    visitor.visit("participant-forged", came.replace("SESSION_ID=", "SESSION_ID=0"), status=403)
    Item.objects.update(wanted=0)
    visitor.visit("participant-nothing-left", address(house, hit, sites))
    make_consent_text(study=house.study)
    visitor.visit("participant-consent", address(house, hit, sites))
    late = address(house, hit, sites)
    house.stand_in.controls.advance(days=1)
    visitor.visit("participant-late", late, status=410)

    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""


def test_page_is_in_no_frame(page: Page, house: House, hit: HIT, sites: Sites) -> None:
    response = page.goto(address(house, hit, sites))

    assert response
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    expect(page.get_by_role("button", name="Submit")).to_be_visible()

"""What stands around every page: the navigation that folds and remembers it, also on a phone."""

import pytest
from playwright.sync_api import expect

from hits.identity.roles import RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_batch, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_folded_section_stays_folded_and_that_of_the_page_is_open(open_page: OpenPage, sites: Sites) -> None:
    page = open_page(viewport=SIZES["desktop"])
    log_in(page, make_staff(RESEARCHER), sites=sites)
    page.goto(f"{sites.public}/admin/")
    nav = page.locator("#nav-sidebar")

    nav.locator("summary", has_text="Work").press("Enter")
    page.goto(f"{sites.public}/admin/hits/study/")

    expect(nav.get_by_role("link", name="Appeals")).to_be_hidden()
    expect(nav.get_by_role("link", name="Studies", exact=True)).to_have_attribute("aria-current", "page")
    page.goto(f"{sites.public}/admin/hits/batch/")
    expect(nav.get_by_role("link", name="Appeals")).to_be_visible()


def test_navigation_that_is_cut_shows_that_it_goes_on(open_page: OpenPage, sites: Sites) -> None:
    page = open_page(viewport={"width": 1280, "height": 500})
    log_in(page, make_staff(RESEARCHER), sites=sites)
    page.goto(f"{sites.public}/admin/")
    nav = page.locator("#nav-sidebar")
    box = nav.bounding_box()
    assert box
    assert nav.evaluate("nav => nav.scrollHeight > nav.clientHeight")
    end = {"x": box["x"] + 2, "y": box["y"] + box["height"] - 3, "width": 8, "height": 2}

    cut = page.screenshot(clip=end)  # type: ignore[arg-type]
    nav.evaluate("nav => nav.scrollTo(0, nav.scrollHeight)")

    assert page.screenshot(clip=end) != cut  # type: ignore[arg-type]


def test_phone_opens_the_navigation_over_the_page_and_closes_it(open_page: OpenPage, sites: Sites) -> None:
    page = open_page(viewport=SIZES["phone"])
    log_in(page, make_staff(RESEARCHER), sites=sites)
    page.goto(f"{sites.public}/admin/")
    menu, nav = page.get_by_role("button", name="Menu"), page.locator("#nav-sidebar")

    expect(nav).to_be_hidden()
    menu.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    nav.get_by_role("link", name="Appeals").press("Escape")
    expect(nav).to_be_hidden()
    expect(menu).to_be_focused()


@pytest.mark.parametrize("size", SIZES)
def test_head_names_the_study(open_page: OpenPage, sites: Sites, size: str) -> None:
    study = make_study(name="Associations that fool a model, second round, autumn 2026")
    make_batch(study=study, status="open")
    staff = make_staff(RESEARCHER)
    study.members.add(staff.user)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, staff, sites=sites)
    visitor.page.goto(f"{sites.public}/admin/hits/batch/?study={study.pk}")
    visitor.visit("shell-guide", f"{sites.public}/admin/hits/batch/add/")

    assert visitor.page.get_by_role("link", name=study.name).is_visible()
    assert visitor.problems == {}

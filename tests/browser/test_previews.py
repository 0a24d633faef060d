"""A researcher sees a draft as its workers will, on a desktop and on a phone, and answers in vain."""

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from crowd.winogavil.demo.seeding import Seeded, draw_sets
from crowd.winogavil.domain import CREATE
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from scoring.models import RivalQuery
from tests.browser.doors import let_in
from tests.browser.looking import SCHEMES, Visitor
from tests.conftest import Sites
from tests.factories import make_consent_text

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 390, "height": 844}


def frame_of(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def size_of(page: Page) -> dict[str, int]:
    size: dict[str, int] = page.locator("iframe").evaluate(
        "(frame) => ({ width: frame.clientWidth, height: frame.clientHeight })"
    )
    return size


def look(visitor: Visitor, name: str) -> None:
    """Look at the page and its frame as they are now, with what was done in the frame."""
    for scheme in SCHEMES:
        visitor.page.emulate_media(color_scheme=scheme)
        if found := visitor._look(scheme):
            visitor.problems[f"{name} {scheme}"] = found
        visitor._keep_picture(f"{name}-{visitor._size}-{scheme}")


def nothing_is_kept() -> bool:
    return not any(table.objects.exists() for table in (Assignment, HIT, Lease, RivalQuery))


def test_draft_is_looked_at_on_both_devices_and_answered(
    visitor: Visitor, seeded: Seeded, sites: Sites
) -> None:
    page, draft = visitor.page, seeded.batch
    make_consent_text(study=draft.study, asks_demographics=True)
    let_in(page, seeded.researcher.user, sites=sites)

    page.goto(f"{sites.public}/admin/hits/batch/{draft.pk}/step/terms/")
    page.get_by_role("link", name="See it as a worker does").click()
    frame = frame_of(page)
    expect(frame.get_by_text("Answers are thrown away.")).to_be_visible()
    look(visitor, "preview-work")
    wide = size_of(page)
    page.get_by_label("a phone").check()
    look(visitor, "preview-work-phone")
    narrow = size_of(page)
    question = frame.locator("[data-question]").first
    for number in range(int(question.get_attribute("data-k") or 0)):
        question.locator("label.picture").nth(number).click()
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_role("heading", name="Thrown away")).to_be_visible()
    look(visitor, "preview-answered")
    frame.get_by_role("link", name="Look again").click()
    expect(frame.get_by_role("button", name="Submit")).to_be_visible()

    if visitor._size == "desktop":
        assert (wide["width"] > 800, narrow) == (True, PHONE)
    else:
        assert narrow["width"] == wide["width"] < PHONE["width"]
    assert nothing_is_kept()
    assert visitor.problems == {}


def test_pages_before_the_work_lead_from_one_to_the_next(
    visitor: Visitor, seeded: Seeded, sites: Sites
) -> None:
    page, draft = visitor.page, seeded.batch
    make_consent_text(study=draft.study, asks_demographics=True)
    let_in(page, seeded.researcher.user, sites=sites)
    address = f"{sites.public}/admin/hits/batch/{draft.pk}/preview/"

    for part in ("listing", "consent", "person"):
        visitor.visit(f"preview-{part}", f"{address}?part={part}")
    visitor.visit("preview-check-page", f"{sites.public}/admin/hits/batch/{draft.pk}/launch/")
    page.goto(f"{address}?part=listing")
    page.get_by_label("a phone").check()
    page.get_by_role("link", name="Consent", exact=True).click()
    expect(page.get_by_label("a phone")).to_be_checked()
    page.get_by_label("a desktop").check()
    page.goto(f"{address}?part=consent")
    frame = frame_of(page)
    frame.get_by_label("I am 18 or older and I agree").check()
    frame.get_by_role("button", name="Agree and go on").click()
    frame.get_by_role("link", name="Go on as a worker would").click()
    frame.get_by_role("button", name="Skip all questions").click()
    frame.get_by_role("link", name="Go on as a worker would").click()
    expect(frame.get_by_role("button", name="Submit")).to_be_visible()

    assert nothing_is_kept()
    assert visitor.problems == {}


def test_words_are_tried_and_no_model_is_asked(page: Page, seeded: Seeded, sites: Sites) -> None:
    draft = make_draft_of_words(seeded)
    let_in(page, seeded.researcher.user, sites=sites)

    page.goto(f"{sites.public}/admin/hits/batch/{draft.pk}/preview/")
    frame = frame_of(page)
    for number, word in enumerate(("winter", "summer"), start=1):
        slot = frame.get_by_role("group", name=f"Word {number}")
        for place in range(2):
            slot.locator("label.picture").nth(place).click()
        slot.get_by_label("Your word").fill(word)
        slot.get_by_role("button", name="Test the model").click()
        expect(slot.get_by_role("status")).to_contain_text("In a preview the model is not asked.")
    frame.get_by_role("button", name="Submit").click()

    expect(frame.get_by_role("heading", name="Thrown away")).to_be_visible()
    expect(frame.get_by_text("winter")).to_be_visible()
    assert nothing_is_kept()


def make_draft_of_words(seeded: Seeded) -> Batch:
    study = seeded.batch.study
    draw_sets(study, count=2, seed=1)
    draft = seeded.batch
    Batch.objects.filter(pk=draft.pk).update(task=CREATE, items_per_assignment=1)
    return draft

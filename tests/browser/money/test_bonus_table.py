"""The bonus table as researchers see it: in the study's form, before the launch, and as it was promised."""

import pytest
from playwright.sync_api import ViewportSize, expect

from crowd.winogavil.demo import seeding
from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.domain import WINOGAVIL_TIERS
from hits.core.domain.bonus_tables import EXAMPLES
from hits.studies.models import Study
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import launch
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
READY = "Solvers are rewarded according to their Jaccard index"


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def seeded(sites: Sites) -> Seeded:
    return seeding.seed(workers=1)


def test_bonus_table_looks_right_wherever_it_is_shown(
    size: str, open_page: OpenPage, seeded: Seeded, sites: Sites
) -> None:
    viewport: ViewportSize = SIZES[size]
    visitor = Visitor(open_page(viewport=viewport, reduced_motion="reduce"), size=size)
    admin, batch = f"{sites.public}/admin", seeded.batch
    Study.objects.update(bonus_rules=[dict(row) for row in EXAMPLES.values()])
    batch.refresh_from_db()

    log_in(visitor.page, seeded.researcher, sites=sites)
    visitor.visit("study-table", f"{admin}/hits/study/{batch.study_id}/settings/")
    visitor.page.get_by_text("What each of them is").click()
    opened = visitor._look()
    visitor.page.locator("#id_bonus_rules-0-amount").fill("0.001")
    visitor.page.get_by_role("button", name="Save", exact=True).last.click()
    visitor.page.get_by_text("no more than 2 decimal places").wait_for()
    opened += visitor._look()
    visitor._keep_picture(f"study-table-wrong-{size}")
    visitor.visit("launch-table", f"{admin}/hits/batch/{batch.pk}/launch/")
    launch(batch)
    visitor.visit("frozen-table", f"{admin}/hits/batch/{batch.pk}/change/")

    assert (visitor.problems, opened) == ({}, [])


def test_bonus_table_is_edited_by_keyboard_beside_a_live_example(
    open_page: OpenPage, seeded: Seeded, sites: Sites
) -> None:
    page = open_page()
    Study.objects.update(bonus_rules=[])
    log_in(page, seeded.researcher, sites=sites)
    page.goto(f"{sites.public}/admin/hits/study/{seeded.batch.study_id}/settings/")

    page.get_by_label("Ready choices").select_option(READY)
    page.get_by_role("button", name="Add these rules").press("Enter")
    rule = page.get_by_role("group", name="Rule 1: For each item by its score")
    expect(rule).to_be_focused()
    earned = page.locator("[data-earned] tfoot td")
    expect(earned).to_have_text("$0.02")
    page.get_by_label("jaccard: agreement with the expected answers (%)").fill("100")
    expect(earned).to_have_text("$0.03")
    page.locator("#id_bonus_rules-0-tiers-2-amount").fill("0.05")
    expect(earned).to_have_text("$0.05")
    page.get_by_label("A new rule").select_option("The same for every approved answer")
    page.get_by_role("button", name="Add a rule").press("Enter")
    expect(page.get_by_role("group", name="Rule 2:")).to_be_focused()
    page.locator("#id_bonus_rules-1-name").fill("thank you")
    page.locator("#id_bonus_rules-1-amount").fill("0.01")
    page.get_by_role("button", name="Move up: rule 2").press("Enter")
    expect(page.locator("#id_bonus_rules-0-name")).to_have_value("thank you")
    expect(earned).to_have_text("$0.06")
    page.locator("#id_bonus_rules-0-name").press("Enter")
    page.get_by_text("was changed successfully").wait_for()

    assert [row["name"] for row in Study.objects.get().bonus_rules] == [
        "thank you",
        "by the right pictures you found",
    ]


def test_bonus_table_is_edited_without_a_script(open_page: OpenPage, seeded: Seeded, sites: Sites) -> None:
    page = open_page(java_script_enabled=False)
    Study.objects.update(bonus_rules=[])
    log_in(page, seeded.researcher, sites=sites)
    page.goto(f"{sites.public}/admin/hits/study/{seeded.batch.study_id}/settings/")

    page.get_by_label("Ready choices").select_option("winogavil.spymasters")
    page.get_by_role("button", name="Add these rules").click()
    page.get_by_label("fool: how far your words misled the model (%)").fill("66")
    page.get_by_role("button", name="What would this earn?").click()
    earned = page.locator("[data-earned] tfoot td").inner_text()
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_text("was changed successfully").wait_for()

    assert earned == "$0.07"
    assert Study.objects.get().bonus_rules == [*WINOGAVIL_TIERS]

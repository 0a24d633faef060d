import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.models import Association
from hits.batches.services.batch_counters import refresh_stale
from hits.batches.services.sending_hits import send_launching_batches
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.paying import confirm_bonuses, pay_bonuses
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in
from tests.browser.stage import work_through
from tests.conftest import Sites
from tests.factories import approve

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_worker_is_paid_for_what_a_researcher_launched(
    open_page: OpenPage, seeded: Seeded, sites: Sites
) -> None:
    researcher, worker = open_page(), open_page()

    log_in(researcher, seeded.researcher, sites=sites)
    create_batch(researcher, seeded)
    launch(researcher)
    send_launching_batches(now=timezone.now())
    watch_it_open(researcher)

    enter(worker, seeded.invitations[0])
    preview(worker)
    solve(worker)
    work_through()

    approve(Bonus.objects.all(), now=timezone.now())
    pay_bonuses(now=timezone.now())
    confirm_bonuses(now=timezone.now())

    assert earnings(worker) == ["$0.04", "$0.00", "$0.04"]
    assert history(worker) == ["$0.03", "$0.01"]
    refresh_stale(now=timezone.now())
    assert progress(researcher) == ["1 of 1", "1 of 1", "$0.01, $0.01"]


def create_batch(page: Page, seeded: Seeded) -> None:
    """Create a batch of one HIT for one worker. The texts for workers and the price are filled in already."""
    page.get_by_role("row", name="Batches").get_by_role("link", name="Add").click()
    page.get_by_label("Study", exact=True).select_option(label=str(seeded.batch.study))
    page.get_by_role("radio", name="Solve", exact=True).check()
    page.get_by_label("Account", exact=True).select_option(label=str(seeded.batch.account))
    page.get_by_role("button", name="Save, then: Terms").click()
    page.get_by_label("Number of HITs").fill("1")
    page.get_by_label("Workers for each HIT").fill("1")
    page.get_by_role("button", name="Save, then: People").click()
    page.get_by_role("button", name="Save, then: Check and launch").click()


def launch(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Check and launch")
    costs = page.locator("td.number").all_inner_texts()
    assert costs == ["1", "1", "$0.03", "$0.00", "$0.01", "$0.00", "$0.04"]
    page.get_by_role("button", name="Launch 1 HIT for at most $0.04").click()
    expect(page.get_by_text("Launched: 1 HIT is on its way.")).to_be_visible()


def watch_it_open(page: Page) -> None:
    """Wait until the page shows the open HIT without a reload."""
    expect(page.locator("dl").first).to_contain_text("1 of 1")


def enter(page: Page, invitation: str) -> None:
    page.goto(invitation)
    page.get_by_role("button", name="Sign in and see the work").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Find work")


def preview(page: Page) -> None:
    page.get_by_role("link", name="Preview").click()
    frame = page.frame_locator("iframe")
    expect(frame.locator(".notice")).to_contain_text("This is a practice example.")
    expect(frame.get_by_role("button", name="Submit")).to_be_disabled()


def solve(page: Page) -> None:
    """Solve all right, so that a bonus is owed."""
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("iframe")
    association = Association.objects.get(cue=frame.locator(".cue").inner_text())
    for key in association.chosen_keys:
        frame.locator("label", has=page.locator(f'input[value="{key}"]')).click()
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")


def earnings(page: Page) -> list[str]:
    page.get_by_role("link", name="Earnings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Earnings")
    return first_facts(page)


def history(page: Page) -> list[str]:
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("History")
    return page.locator("td.money").all_inner_texts()


def progress(page: Page) -> list[str]:
    """Progress in a new tab: the old one stops asking once the last HIT is done, and payments come later."""
    fresh = page.context.new_page()
    fresh.goto(page.url)
    bonuses = fresh.locator("dl.facts > div").filter(has_text="Bonuses owed, paid").locator("dd")
    return [*first_facts(fresh), bonuses.inner_text()]


def first_facts(page: Page) -> list[str]:
    return page.locator("dl").first.locator("dd").all_inner_texts()

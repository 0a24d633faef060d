"""The guide in a real browser: a researcher follows it from logging in to a filled batch."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, FilePayload, Page, expect

from crowd.winogavil.demo import seeding
from crowd.winogavil.demo.seeding import Seeded
from hits.batches.services import batch_counters, hit_changes, sending_hits
from hits.studies.models import Batch
from tests.browser.doors import log_in
from tests.browser.looking import SCHEMES, Visitor
from tests.browser.stage import take_turns, work_through
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
ITEMS = 2


@pytest.fixture
def seeded(sites: Sites) -> Seeded:
    return seeding.seed(workers=3)


def test_researcher_launches_a_batch_of_a_file_and_sees_it_filled(
    visitor: Visitor, seeded: Seeded, sites: Sites
) -> None:
    page = visitor.page

    log_in(page, seeded.researcher, sites=sites)
    make_study(page)
    choose_a_file(page, account=str(seeded.batch.account))
    refuse_a_wrong_file(visitor)
    add_items(page)
    look(visitor, "guide-what")
    set_terms(page)
    look(visitor, "guide-terms-saved")
    leave_people_open(page)
    look(visitor, "guide-launch")
    launch(page)
    fill(seeded)

    batch = Batch.objects.get(study__name="Cues of the cold")
    visitor.visit("guide-live", page.url)
    expect(page.locator("#content")).to_contain_text("6 of 6")
    visitor.visit("guide-frozen", f"{sites.public}/admin/hits/batch/{batch.pk}/change/")
    visitor.visit("guide-batches", f"{sites.public}/admin/hits/batch/")
    row = page.get_by_role("row", name="Cues of the cold")
    expect(row).to_contain_text("Complete")
    expect(row).to_contain_text("6 of 6")
    assert visitor.problems == {}


def test_second_window_is_told_and_loses_nothing(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    first = visitor.page
    log_in(first, seeded.researcher, sites=sites)
    address = f"{sites.public}/admin/hits/batch/{seeded.batch.pk}/step/terms/"
    second = first.context.new_page()
    for page, title in ((first, "First"), (second, "Second")):
        page.goto(address)
        page.get_by_label("Title").fill(title)

    first.get_by_role("button", name="Save and stay here").click()
    expect(first.get_by_text("Saved.", exact=True)).to_be_visible()
    second.get_by_role("button", name="Save and stay here").click()

    expect(second.get_by_role("alert")).to_contain_text("another window")
    expect(second.get_by_role("alert")).to_contain_text("First")
    expect(second.get_by_label("Title")).to_have_value("Second")
    second.get_by_role("button", name="Save and stay here").click()
    expect(second.get_by_text("Saved.", exact=True)).to_be_visible()
    first.go_back()
    expect(first.get_by_label("Title")).to_have_value("Second")


@pytest.mark.parametrize("link", ["See it as a worker does", "Check and launch", "What is asked"])
def test_leaving_typed_terms_by_a_link_asks_first(
    visitor: Visitor, seeded: Seeded, sites: Sites, link: str
) -> None:
    page, asked = visitor.page, []
    log_in(page, seeded.researcher, sites=sites)
    address = f"{sites.public}/admin/hits/batch/{seeded.batch.pk}/step/terms/"
    page.goto(address)

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    reward = page.get_by_label("Reward")
    reward.clear()
    reward.press_sequentially("0.25")
    page.get_by_role("link", name=link).first.click()
    page.wait_for_timeout(300)

    assert (asked, page.url) == (["beforeunload"], address)
    expect(reward).to_have_value("0.25")
    page.get_by_role("button", name="Save and stay here").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    page.get_by_role("link", name=link).first.click()
    page.wait_for_url(lambda url: url != address)
    assert asked == ["beforeunload"]


def test_pages_around_the_guide_look_right(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    admin = f"{sites.public}/admin/hits"
    draft, account, study = seeded.batch, seeded.batch.account, seeded.batch.study
    Batch.objects.filter(pk=draft.pk).update(assignments_per_hit=10, review_by="hand", lifetime_s=60)
    log_in(visitor.page, seeded.researcher, sites=sites)

    visitor.visit("guide-new", f"{admin}/batch/add/")
    visitor.visit("guide-pool", f"{admin}/batch/{draft.pk}/step/what/")
    visitor.visit("guide-terms-ten", f"{admin}/batch/{draft.pk}/step/terms/")
    visitor.visit("guide-people-empty", f"{admin}/batch/{draft.pk}/step/people/")
    visitor.visit("guide-launch-ten", f"{admin}/batch/{draft.pk}/launch/")
    visitor.visit("guide-delete", f"{admin}/batch/{draft.pk}/delete/")
    visitor.visit("guide-account", f"{admin}/account/{account.pk}/change/")
    visitor.visit("guide-check", f"{admin}/account/{account.pk}/check/")
    visitor.visit("guide-study", f"{admin}/study/{study.pk}/change/")
    visitor.visit("guide-studies", f"{admin}/study/")
    visitor.visit("guide-entries", f"{admin}/ledgerentry/")

    assert visitor.problems == {}


def make_study(page: Page) -> None:
    page.get_by_role("row", name="Studies").get_by_role("link", name="Add").click()
    page.get_by_label("Name:").fill("Cues of the cold")
    page.get_by_label("Lab:").fill("Lab")
    page.get_by_label("Budget:").fill("20")
    page.get_by_role("button", name="Make the study").click()
    expect(page.get_by_role("list")).to_contain_text(["is made"])
    page.get_by_role("link", name="Home").click()


def choose_a_file(page: Page, *, account: str) -> None:
    page.get_by_role("row", name="Batches").get_by_role("link", name="Add").click()
    page.get_by_label("Study", exact=True).select_option(label="Cues of the cold")
    page.get_by_role("radio", name="Solve", exact=True).check()
    page.get_by_label("Account", exact=True).select_option(label=account)
    page.get_by_label("A file of this batch's own").check()
    page.get_by_role("button", name="Save, then: Terms").click()
    expect(page.get_by_role("heading", name="Items from a file")).to_be_visible()


def refuse_a_wrong_file(visitor: Visitor) -> None:
    page = visitor.page
    upload(page, "cue,candidates,chosen\ncold,no such picture,fire\n")
    expect(page.get_by_role("alert")).to_contain_text("the pool has no picture “no such picture”")
    look(visitor, "guide-wrong-file")


def add_items(page: Page) -> None:
    upload(page, items_file())
    expect(page.get_by_text("2 items added. You can remove them again below.")).to_be_visible()


def set_terms(page: Page) -> None:
    page.get_by_role("button", name="Save, then: Terms").click()
    expect(page.get_by_label("Number of HITs")).to_have_value("2")
    page.get_by_label("Reward").fill("0.10")
    times = page.get_by_role("group", name="Time for one assignment", exact=True)
    times.get_by_label("How many").fill("1")
    times.get_by_label("Unit of time").select_option(label="hours")
    page.get_by_role("button", name="Save and stay here").click()
    expect(page.locator("td.total")).to_have_text("$0.60")


def leave_people_open(page: Page) -> None:
    page.get_by_role("link", name="People").click()
    page.get_by_label("Repeat group").fill("cold")
    page.get_by_role("button", name="Save, then: Check and launch").click()


def launch(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Check and launch")
    facts = page.locator("dl.facts").first
    expect(facts).to_contain_text("$19.40")
    page.get_by_role("button", name="Launch 2 HITs for at most $0.60").click()
    expect(page.get_by_text("Launched: 2 HITs are on their way.")).to_be_visible()


def fill(seeded: Seeded) -> None:
    """Let three workers do both HITs right, and do the background's work."""
    sending_hits.send_launching_batches(now=timezone.now())
    for invitation in seeded.invitations:
        take_turns(invitation, turns=ITEMS)
    work_through()
    hit_changes.complete_batches(now=timezone.now())
    batch_counters.refresh_stale(now=timezone.now())


def look(visitor: Visitor, name: str) -> None:
    """Look at the page in its current state, with all that was typed and answered."""
    found: list[str] = []
    for scheme in SCHEMES:
        visitor.page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {problem}" for problem in visitor._look()]
        visitor._keep_picture(f"{name}-{visitor._size}-{scheme}")
    if found:
        visitor.problems[name] = found


def upload(page: Page, content: str) -> None:
    file: FilePayload = {"name": "items.csv", "mimeType": "text/csv", "buffer": content.encode()}
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Add the items").click()


def items_file() -> str:
    rows: list[dict[str, Any]] = seeding.data()["associations"][:ITEMS]
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(["cue", "candidates", "chosen"])
    writer.writerows([row["cue"], "|".join(row["candidates"]), "|".join(row["chosen"])] for row in rows)
    return text.getvalue()

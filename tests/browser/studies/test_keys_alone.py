"""One goes from a draft to an approved bonus run with the keyboard alone, and sees the focus all the way."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from crowd.demo.demo_people import Staff
from crowd.winogavil.demo.seeding import Seeded
from hits.batches.services import sending_hits
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import accrual
from hits.studies.models import Batch
from hits.sync.services import push_decisions
from hits.work.models.decisions import Decision
from tests.browser.conftest import OpenPage
from tests.browser.stage import take_turns, work_through
from tests.conftest import Sites

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
MOST_TABS = 150
IS_FOCUSED = "one => one === document.activeElement"
IS_SEEN = """one => {
  const style = getComputedStyle(one);
  return one.matches(":focus-visible") && (style.outlineStyle !== "none" || style.boxShadow !== "none");
}"""


def tab_to(page: Page, wanted: Locator) -> None:
    """Press Tab until this has the focus, which is to be seen."""
    wanted.wait_for()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if wanted.evaluate(IS_FOCUSED):
            assert wanted.evaluate(IS_SEEN), wanted
            return
    raise AssertionError(f"Tab does not lead to {wanted}.")


def press(page: Page, name: str, *, role: str = "button", key: str = "Enter") -> None:
    tab_to(page, page.get_by_role(role, name=name).first)  # type: ignore[arg-type]
    page.keyboard.press(key)


def log_in(page: Page, staff: Staff, *, sites: Sites) -> None:
    page.bring_to_front()  # a page behind another has no field in focus
    page.goto(f"{sites.public}/admin/login/")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type(staff.user.username)
    page.keyboard.press("Tab")
    page.keyboard.type(staff.password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Home", exact=True).wait_for()


def test_a_batch_is_launched_reviewed_and_its_bonuses_approved_by_keys_alone(
    open_page: OpenPage, seeded: Seeded, sites: Sites
) -> None:
    batch, admin = seeded.batch, f"{sites.public}/admin/hits"
    Batch.objects.filter(pk=batch.pk).update(review_by="hand", hits_wanted=2, assignments_per_hit=1)
    page = open_page(reduced_motion="reduce")

    log_in(page, seeded.researcher, sites=sites)
    page.goto(f"{admin}/batch/{batch.pk}/step/what/")
    for step, address in (("Terms", "/step/terms/"), ("People", "/step/people/"), ("Check", "/launch/")):
        press(page, f"Save, then: {step}")
        page.wait_for_url(f"**{address}*")
    press(page, "Launch 2 HITs")
    expect(page.get_by_text("Launched: 2 HITs are on their way.")).to_be_visible()
    sending_hits.send_launching_batches(now=timezone.now())
    take_turns(seeded.invitations[0], turns=2)
    work_through()

    page.goto(f"{sites.public}/admin/")
    press(page, "Works to review", role="link")
    page.locator("[data-place]").get_by_text("1 of 2").wait_for()
    press(page, "Approve")
    page.locator("main:not([aria-busy]) [data-place]").get_by_text("1 of 1").wait_for()
    page.keyboard.press("a")
    page.get_by_role("heading", name="Nothing here").wait_for()
    push_decisions.send_decisions(now=timezone.now() + timedelta(minutes=1))
    accrual.owe_bonuses(now=timezone.now())
    assert (Decision.objects.filter(kind="approve").count(), Bonus.objects.count()) == (2, 2)

    preparer, approver = open_page(reduced_motion="reduce"), open_page(reduced_motion="reduce")
    log_in(preparer, seeded.preparer, sites=sites)
    preparer.goto(f"{admin}/run/")
    press(preparer, "Prepare a run", role="link")
    tab_to(preparer, preparer.get_by_label("Title"))
    preparer.keyboard.type("By keys")
    press(preparer, "Put 2 bonuses")
    press(preparer, "Freeze…", role="link")
    press(preparer, "Freeze: 2 bonuses")
    preparer.get_by_text("It waits for a second person").wait_for()

    log_in(approver, seeded.approver, sites=sites)
    press(approver, "Bonus run to approve", role="link")
    press(approver, "I have looked at the totals", role="checkbox", key="Space")
    press(approver, "Approve 2 bonuses")
    approver.get_by_text("They are sent in a moment.").wait_for()

    assert Run.objects.get().status == Run.Status.APPROVED

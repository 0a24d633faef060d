"""A bonus run by two people in two browsers, from what is owed to what is sent."""

from decimal import Decimal

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.demo.demo_people import Staff
from crowd.marketplace.models import BonusPayment
from crowd.winogavil.demo.seeding import Seeded
from hits.identity.roles import PAYMENTS_APPROVER, PAYMENTS_PREPARER
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs, kill_switch
from hits.payments.services.paying import pay_bonuses
from hits.studies.models import Study
from tests.browser.conftest import OpenPage
from tests.browser.doors import let_in, log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import launch, take_turns, work_through
from tests.conftest import Sites
from tests.factories import make_assignment, make_batch, make_bonus, make_hit

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def enter(visitor: Visitor, staff: Staff, sites: Sites) -> Page:
    log_in(visitor.page, staff, sites=sites)
    return visitor.page


def test_two_people_pay_a_run(open_page: OpenPage, seeded: Seeded, sites: Sites) -> None:
    launch(seeded.batch)
    take_turns(seeded.invitations[0], turns=2)
    take_turns(seeded.invitations[1], turns=1)
    work_through()
    study = seeded.batch.study
    options = {"viewport": SIZES["desktop"], "reduced_motion": "reduce"}
    first, second = (Visitor(open_page(**options), size="flow") for _ in range(2))
    preparer = enter(first, make_staff(PAYMENTS_PREPARER, study), sites)
    approver = enter(second, make_staff(PAYMENTS_APPROVER, study), sites)
    assert Bonus.objects.count() == 3

    preparer.goto(f"{sites.public}/admin/hits/run/")
    preparer.get_by_role("link", name="Prepare a run").click()
    preparer.get_by_label("Title").fill("Pictures, November")
    preparer.get_by_role("button", name="Put 3 bonuses, $0.03, into the run").click()
    preparer.get_by_text("A draft is made.").wait_for()
    preparer.get_by_role("checkbox").first.check()
    preparer.get_by_role("button", name="Hold…").click()
    preparer.get_by_label("Why?").fill("Ask the reviewer first")
    first._keep_picture("run-hold")
    preparer.get_by_role("button", name="Hold 1 bonus").click()
    preparer.get_by_text("Held: 1 bonus.").wait_for()
    preparer.get_by_role("link", name="Freeze…").click()
    first._keep_picture("run-freeze")
    preparer.get_by_role("button", name="Freeze: 2 bonuses, $0.02").click()
    preparer.get_by_text("It waits for a second person").wait_for()
    expect(preparer.get_by_role("button", name="Approve")).to_have_count(0)

    run = Run.objects.get()
    approver.goto(f"{sites.public}/admin/hits/run/")
    approver.get_by_role("link", name="Pictures, November").click()
    approver.get_by_label("I have looked at the totals").check()
    second._keep_picture("run-approve")
    approver.get_by_role("button", name="Approve 2 bonuses, $0.02").click()
    approver.get_by_text("They are sent in a moment.").wait_for()
    preparer.goto(f"{sites.public}/admin/hits/run/{run.pk}/change/?q={run.rows.all()[0].bonus.public_id}")
    listed = preparer.get_by_role("region", name="Bonuses of this run").get_by_role("row")
    expect(listed).to_have_count(2)  # its head too
    pay_bonuses(now=timezone.now())
    # Both open pages say so everywhere at once, and stay at what was searched for.
    for page in (preparer, approver):
        expect(page.locator(".status")).to_contain_text("Approved, and paid")
        expect(page.locator(".is-next")).to_contain_text("Nothing: all of it is paid.")
        expect(page.locator("#rows tbody")).not_to_contain_text("Approved")
    expect(listed).to_have_count(2)

    for page in (preparer, approver):
        page.goto(f"{sites.public}/admin/hits/run/{run.pk}/change/")
        expect(page.get_by_text("2 of 2 done")).to_be_visible()
    second._keep_picture("run-sent")
    run.refresh_from_db()
    assert (run.status, run.prepared_by == run.decided_by) == ("approved", False)
    assert sorted(Bonus.objects.values_list("status", flat=True)) == ["owed", "sent", "sent"]
    assert BonusPayment.objects.count() == 2


def test_ticking_a_bonus_chooses_what_is_ticked_and_the_button_says_how_much(
    open_page: OpenPage, sites: Sites
) -> None:
    hit = make_hit(batch=make_batch(status="open"))
    for amount in ("0.05", "0.10", "1200"):
        work = make_assignment(hit=hit, status="approved")
        make_bonus(assignment=work, status="owed", amount=Decimal(amount))
    page = open_page()
    let_in(page, make_staff(PAYMENTS_PREPARER, hit.batch.study).user, sites=sites)
    page.goto(f"{sites.public}/admin/hits/run/prepare/")
    button, ticks = page.locator("[data-takes]"), page.get_by_role("checkbox")
    expect(button).to_have_text("Put 3 bonuses, $1,200.15, into the run")

    ticks.nth(0).check()
    expect(page.get_by_label("Only those ticked above")).to_be_checked()
    expect(button).to_have_text("Put 1 bonus, $0.05, into the run")
    ticks.nth(1).check()
    expect(button).to_have_text("Put 2 bonuses, $0.15, into the run")
    ticks.nth(0).uncheck()
    ticks.nth(1).uncheck()
    expect(page.get_by_label("All 3 that match")).to_be_checked()
    ticks.nth(1).check()
    page.get_by_label("Title").fill("November")
    button.click()
    page.get_by_text("A draft is made.").wait_for()

    assert [row.bonus.amount for row in Run.objects.get().rows.all()] == [Decimal("0.10")]


def test_open_pages_of_a_frozen_run_follow_what_the_other_person_does(
    open_page: OpenPage, sites: Sites
) -> None:
    hit, now = make_hit(batch=make_batch(status="open")), timezone.now()
    study = hit.batch.study
    for _ in range(2):
        make_bonus(assignment=make_assignment(hit=hit, status="approved"), status="owed")
    staff = make_staff(PAYMENTS_PREPARER, study), make_staff(PAYMENTS_APPROVER, study)
    run = bonus_runs.prepare_run(bonuses=Bonus.objects.all(), by=staff[0].user, title="November", now=now)
    bonus_runs.freeze_run(run=run, by=staff[0].user, now=now)
    preparer, approver = open_page(), open_page()
    for page, one in zip((preparer, approver), staff, strict=True):
        let_in(page, one.user, sites=sites)
        page.goto(f"{sites.public}/admin/hits/run/{run.pk}/change/")
    approver.get_by_label("I have looked at the totals").check()
    approver.get_by_role("heading", name="Next step").click()  # nothing has the focus now
    held = approver.get_by_text("The run has changed meanwhile.")
    expect(held).to_be_hidden()

    bonus_runs.unfreeze_run(run=run, by=staff[0].user, now=now)

    expect(approver.locator(".status")).to_contain_text("Being prepared", timeout=10_000)
    expect(held).to_be_visible()
    expect(approver.get_by_label("I have looked at the totals")).to_be_checked()
    approver.get_by_role("link", name="show the run as it is now").click()
    expect(approver.locator(".is-next")).to_contain_text("It can be decided on once it is frozen.")

    bonus_runs.freeze_run(run=run, by=staff[0].user, now=now)
    expect(approver.get_by_role("button", name="Approve")).to_be_visible(timeout=10_000)
    expect(preparer.locator(".is-next")).to_contain_text("It waits for a second person")
    halt = kill_switch.halt_payments(account=None, reason="Odd", by=None, now=now)
    bonus_runs.approve_run(run=run, digest=run.digest, by=staff[1].user, now=now)
    expect(preparer.locator(".status")).to_contain_text("Approved", timeout=10_000)
    expect(preparer.get_by_text("Payments of every account are stopped.")).to_be_visible()
    halt.delete()
    Bonus.objects.update(status="sent", sent_at=now)

    for page in (preparer, approver):
        expect(page.locator(".status")).to_contain_text("Approved, and paid", timeout=10_000)
        expect(page.locator(".is-next")).to_contain_text("Nothing: all of it is paid.")
        expect(page.get_by_text("are stopped")).to_have_count(0)
        expect(page.get_by_text("Since the freeze")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_runs_look_right(open_page: OpenPage, seeded: Seeded, sites: Sites, size: str) -> None:
    study, admin = seeded.batch.study, f"{sites.public}/admin/hits/run"
    Study.objects.filter(pk=study.pk).update(many_bonuses=2, grant_code="ABC-123")
    launch(seeded.batch)
    hit = make_hit(batch=seeded.batch)
    preparer, approver = make_staff(PAYMENTS_PREPARER, study), make_staff(PAYMENTS_APPROVER, study)
    visitors = [Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size) for _ in "ab"]
    enter(visitors[0], preparer, sites)
    enter(visitors[1], approver, sites)
    first, second = visitors

    first.visit("runs-empty", f"{admin}/")
    first.visit("run-prepare-empty", f"{admin}/prepare/")
    worker = None
    for number in range(60):
        work = make_assignment(hit=hit, status="approved", **({"worker": worker} if worker else {}))
        worker = work.worker if number < 3 else None
        make_bonus(assignment=work, status="owed", reason="All three pictures were right.")
    first.visit("run-prepare", f"{admin}/prepare/")
    bonuses, now = list(Bonus.objects.order_by("pk")), timezone.now()
    draft, frozen = (
        bonus_runs.prepare_run(bonuses=part, by=preparer.user, title=title, note="As agreed.", now=now)
        for part, title in ((bonuses[:55], "Pictures, November"), (bonuses[55:], "The rest"))
    )
    first.visit("run-draft", f"{admin}/{draft.pk}/change/")
    first.visit("run-freeze", f"{admin}/{draft.pk}/freeze/")
    bonus_runs.freeze_run(run=frozen, by=preparer.user, now=now)
    first.visit("run-waits", f"{admin}/{frozen.pk}/change/")
    second.visit("runs", f"{admin}/")
    second.visit("run-frozen", f"{admin}/{frozen.pk}/change/")
    bonus_runs.approve_run(run=frozen, digest=frozen.digest, by=approver.user, now=now)
    Bonus.objects.filter(pk=bonuses[55].pk).update(status="sent")
    second.visit("run-approved", f"{admin}/{frozen.pk}/change/")

    assert [visitor.problems for visitor in visitors] == [{}, {}]

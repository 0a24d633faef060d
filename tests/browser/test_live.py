"""The live view, the pages that control a batch, a HIT's page and the export, in a real browser."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from tests.admin_pages import fill, make_colleague
from tests.browser.doors import enter, let_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import make_assignment, make_batch, make_hit

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def make_worked() -> tuple[User, Batch]:
    """Create a batch that is nearly full, paused by the provider, and below the study's wage floor."""
    user = fill(hits=40, batches=2, now=timezone.now())
    batch = Batch.objects.exclude(launched_at=None).order_by("pk")[0]
    Study.objects.update(wage_floor=Decimal("7.50"))
    Batch.objects.filter(pk=batch.pk).update(
        status="paused_funds",
        problem="This account has insufficient funds. You have 0.02 USD.",
        reserved=Decimal("4.80"),
        figures={"spent": "1.35", "bonuses_owed": "0.18", "bonuses_paid": "0.00"},
    )
    return user, batch


def test_live_view_looks_right(visitor: Visitor, sites: Sites) -> None:
    user, batch = make_worked()
    let_in(visitor.page, user, sites=sites)
    admin = f"{sites.public}/admin/hits/batch"
    empty = make_batch(status="complete", study=batch.study)

    visitor.visit("live-paused", f"{admin}/{batch.pk}/live/")
    visitor.visit("live-empty", f"{admin}/{empty.pk}/live/")
    Change.objects.all().delete()
    Assignment.objects.filter(status__in=("submitted", "opened")).update(status="gone", submitted_at=None)
    Batch.objects.filter(pk=batch.pk).update(status="complete", problem="")
    visitor.visit("live-complete", f"{admin}/{batch.pk}/live/")
    visitor.page.locator("#content-start summary").first.click()
    visitor.page.locator("#content-start summary").last.click()
    visitor._keep_picture(f"live-tables-{visitor._size}")

    assert visitor.problems == {}


def test_pages_that_steer_look_right(visitor: Visitor, sites: Sites) -> None:
    user, batch = make_worked()
    let_in(visitor.page, user, sites=sites)
    admin = f"{sites.public}/admin/hits/batch/{batch.pk}"

    for verb in ("drain", "cancel", "extend", "add-hits", "add-places"):
        visitor.visit(f"steer-{verb}", f"{admin}/steer/{verb}/")
    visitor.page.get_by_label("More places on each HIT").fill("2")
    visitor.page.get_by_role("button", name="Go on").click()
    visitor.page.get_by_text("That costs at most").wait_for()
    visitor._keep_picture(f"steer-add-places-cost-{visitor._size}")
    visitor.visit("export", f"{admin}/export/")

    assert visitor.problems == {}


def test_hit_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    user, batch = make_worked()
    let_in(visitor.page, user, sites=sites)
    hit = HIT.objects.filter(batch=batch)[1]
    Change.objects.create(
        hit=hit,
        kind="add",
        places=2,
        status="refused",
        problem="Requests must be below ten.",
        made_at=timezone.now(),
        by=user,
    )
    admin = f"{sites.public}/admin/hits/hit"

    visitor.visit("hits", f"{admin}/?batch={batch.pk}")
    visitor.visit("hits-none", f"{admin}/?q=nowhere")
    visitor.visit("hit", f"{admin}/{hit.pk}/change/")
    visitor.visit("hit-expire", f"{admin}/{hit.pk}/steer/expire/")

    assert visitor.problems == {}


def test_live_view_follows_the_batch_by_itself(page: Page, sites: Sites) -> None:
    batch = make_batch(status="launching", hits_wanted=3)
    enter(page, sites)
    first = make_hit(batch=batch)
    page.goto(f"{sites.public}/admin/hits/batch/{batch.pk}/live/")
    sent = page.locator("dd", has=page.get_by_role("progressbar", name="HITs sent"))
    expect(sent).to_contain_text("1 of 1")

    make_hit(batch=batch)
    make_assignment(hit=first, status="submitted", worked_s=48, submitted_at=timezone.now())
    expect(sent).to_contain_text("2 of 2")
    page.get_by_text("Show as table").first.click()
    make_hit(batch=batch)
    expect(sent).to_contain_text("3 of 3")
    Batch.objects.filter(pk=batch.pk).update(status="open")

    expect(page.locator("[data-live-news]")).to_have_text("Open. Workers can take the HITs.")
    expect(page.locator("#content details[open]")).to_have_count(1)


def test_keyboard_stays_where_it_is_while_numbers_change(page: Page, sites: Sites) -> None:
    batch = make_batch(status="launching")
    enter(page, sites)
    page.goto(f"{sites.public}/admin/hits/batch/{batch.pk}/live/")
    page.get_by_role("button", name="Pause").focus()

    make_hit(batch=batch)
    expect(page.locator(".bars")).to_contain_text("1 of 1")

    expect(page.get_by_role("button", name="Pause")).to_be_focused()


def test_live_view_stops_asking_once_signed_out(page: Page, sites: Sites) -> None:
    batch = make_batch(status="launching")
    enter(page, sites)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/?fragment" in request.url else None)
    page.goto(f"{sites.public}/admin/hits/batch/{batch.pk}/live/")

    page.context.clear_cookies()
    with page.expect_response(lambda response: "/login/" in response.url):
        pass
    page.wait_for_timeout(2500)

    assert len(asked) == 1


def test_researcher_pauses_and_drains(page: Page, sites: Sites) -> None:
    batch = make_batch(status="open")
    make_hit(batch=batch, expires_at=timezone.now() + timedelta(days=1))
    let_in(page, make_colleague([batch.study]), sites=sites)
    page.goto(f"{sites.public}/admin/hits/batch/{batch.pk}/live/")

    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused: nothing more is sent").wait_for()
    page.get_by_role("link", name="Drain").click()
    page.get_by_text("This cannot be taken back").wait_for()
    page.get_by_role("button", name="Drain the batch").click()
    page.get_by_text("No new work starts. The batch ends").wait_for()

    assert Batch.objects.get().status == "draining"

"""Pages for a worker who cannot begin yet, or not at all."""

import pytest
from django.utils import timezone
from playwright.sync_api import FrameLocator, Page, ViewportSize, expect

from crowd.marketplace import frames, queries
from crowd.marketplace import models as marketplace
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.services.work import accept_hit
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.services import event_inbox
from hits.work.models.assignments import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.looking import Visitor
from tests.browser.stage import launch, sign_in
from tests.conftest import Sites
from tests.factories import invite, make_account, make_association, make_batch, make_requester, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]

SIZES: dict[str, ViewportSize] = {
    "phone": {"width": 390, "height": 844},
    "desk": {"width": 1280, "height": 900},
}


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


@pytest.fixture
def unproven(sites: Sites) -> Account:
    """An account at a marketplace whose tickets cannot be read here; but its events arrive."""
    made = make_requester(now=timezone.now())
    return make_account(
        endpoint=sites.marketplace,
        worker_site=sites.marketplace,
        access_key_id=made.access_key_id,
        secret_access_key=made.secret_access_key,
        ticket_key="",
        notify_by=Account.Notify.SNS,
    )


@pytest.fixture
def accepted(unproven: Account) -> marketplace.Assignment:
    association = make_association(size=5, chosen=3)
    launch(make_batch(study=association.item.study, account=unproven))
    assert event_inbox.subscribe_batches(now=timezone.now()) == 1
    now = timezone.now()
    worker, _ = invite(now=now)
    return accept_hit(hit_id=queries.open_hits(worker=worker, now=now).get().pk, worker=worker, now=now)


def test_waiting_page_goes_on_by_itself_when_the_event_has_come(
    page: Page, accepted: marketplace.Assignment, sites: Sites
) -> None:
    sign_in(page.context, accepted.worker, sites=sites)

    page.goto(f"{sites.marketplace}/work/{accepted.external_id}/")
    expect(framed(page).get_by_role("heading", level=1)).to_have_text("Waiting for the platform")
    before = Assignment.objects.count()
    deliver_events(now=timezone.now())
    event_inbox.handle_notices(now=timezone.now())

    expect(framed(page).get_by_role("button", name="Submit")).to_be_visible(timeout=20_000)
    assert (before, Assignment.objects.count()) == (0, 1)


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_visits_that_cannot_begin_look_right(
    open_page: OpenPage, accepted: marketplace.Assignment, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    url = frames.work_url(accepted)

    visitor.visit("waiting", url, status=202)
    Batch.objects.update(notified_at=None)
    worker = Worker.objects.known(account=Account.objects.get(), external_id=accepted.worker.external_id)
    Block.objects.create(
        worker=worker, kind="soft", status="active", reason="a test", by=make_user(), made_at=timezone.now()
    )
    visitor.visit("refused", url, status=403)
    Batch.objects.update(status=Batch.Status.PAUSED)
    visitor.visit("paused", url.partition("?")[0], status=409)

    assert visitor.problems == {}

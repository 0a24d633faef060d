"""A bonus that no assignment can carry, collected by its worker on the real sites."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from crowd.marketplace import frames, queries
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.work import accept_hit
from hits.batches.services import sending_hits
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import compensation
from hits.providers.models.accounts import Account
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import sign_in, work_through
from tests.conftest import Sites
from tests.factories import invite, make_account, make_requester, make_study
from tests.hits.refusals import make_payer, make_refused

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def worker() -> Worker:
    return invite(now=timezone.now())[0]


@pytest.fixture
def bonus(sites: Sites, worker: Worker) -> Bonus:
    """A bonus whose compensation HIT is posted for this worker."""
    bonus = make_refused(make_study(), account=_open_account(sites), worker=worker.external_id)
    now = timezone.now()
    compensation.start(bonus=bonus, by=make_payer(bonus.assignment.hit.batch.study), now=now)
    compensation.send_compensations(now=now)
    sending_hits.send_launching_batches(now=now)
    return bonus


def _open_account(sites: Sites) -> Account:
    made = make_requester(now=timezone.now())
    return make_account(
        endpoint=sites.marketplace,
        worker_site=sites.marketplace,
        access_key_id=made.access_key_id,
        secret_access_key=made.secret_access_key,
        ticket_key=made.ticket_key,
    )


def test_worker_collects_a_bonus_that_nobody_else_sees(
    open_page: OpenPage, sites: Sites, worker: Worker, bonus: Bonus
) -> None:
    other, _ = invite(now=timezone.now())
    page, others = open_page(), open_page()
    sign_in(page.context, worker, sites=sites)
    sign_in(others.context, other, sites=sites)

    others.goto(sites.marketplace)
    page.goto(sites.marketplace)
    expect(others.get_by_text("A bonus of $0.27 is waiting for you")).to_have_count(0)
    page.get_by_role("link", name="A bonus of $0.27 is waiting for you").first.click()
    page.get_by_role("button", name="Accept").first.click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("What it is for: Three of four.")).to_be_visible()
    frame.get_by_role("button", name="Collect the bonus").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
    work_through()
    compensation.send_compensations(now=timezone.now())

    bonus.refresh_from_db()
    assert bonus.status == Bonus.Status.CONFIRMED


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_a_bonus_to_collect_look_right(
    open_page: OpenPage, sites: Sites, worker: Worker, bonus: Bonus, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    now = timezone.now()
    sign_in(visitor.page.context, worker, sites=sites)
    hit = queries.open_hits(worker=worker, now=now).get()
    group = HIT.objects.get().hit_type

    visitor.visit("collect-list", sites.marketplace)
    visitor.visit("collect-preview", f"{sites.marketplace}/groups/{group.external_id}/")
    accepted = accept_hit(hit_id=hit.pk, worker=worker, now=now)
    visitor.visit("collect-work", f"{sites.marketplace}/work/{accepted.external_id}/")
    visitor.visit("collect-page", frames.work_url(accepted))

    assert visitor.problems == {}

"""The worker's part on a requester's own page, in a real browser."""

from django.utils import timezone
from playwright.sync_api import FrameLocator, Page, expect

from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.services.work import accept_hit
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.rows import post_hit
from tests.factories import invite


def open_question(page: Page, xml: str, *, credentials: Credentials, sites: Sites) -> FrameLocator:
    """Post a HIT with this question, and accept it as a worker who is signed in; what the frame shows."""
    now = timezone.now()
    hit = post_hit(requester=credentials.requester, question=xml, title="About colors", now=now)
    worker, _ = invite(now=now)
    sign_in(page.context, worker, sites=sites)
    assignment = accept_hit(hit_id=hit.pk, worker=worker, now=now)
    page.goto(f"{sites.marketplace}/work/{assignment.external_id}/")
    return page.frame_locator("iframe")


def preview(page: Page, *, sites: Sites) -> tuple[Worker, FrameLocator]:
    """Sign in a worker and open the preview of the only HIT; who it is, and what the frame shows."""
    worker, _ = invite(now=timezone.now())
    sign_in(page.context, worker, sites=sites)
    page.goto(sites.marketplace)
    page.get_by_role("link", name="Preview").click()
    return worker, page.frame_locator("iframe")


def accept(page: Page) -> FrameLocator:
    """Accept the HIT of the preview; what the frame shows then."""
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("button", name="Return this HIT")).to_be_visible()
    return page.frame_locator("iframe")


def expect_submitted(page: Page, *, status: str = "Submitted") -> None:
    """The page around the frame moves on to the receipt of the work."""
    expect(page.get_by_role("heading", level=1)).to_have_text(status)

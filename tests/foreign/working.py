"""The worker's part on a requester's own page, in a real browser."""

from django.utils import timezone
from playwright.sync_api import FrameLocator, Page

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

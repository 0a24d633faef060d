"""The pages of the three-way match in a real browser: compared, found, explained and closed."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page

from crowd.marketplace.models.parties import Requester
from crowd.marketplace.services import money
from crowd.winogavil.demo.seeding import Seeded
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.matches import Difference, Match
from hits.payments.services.paying import pay_bonuses
from hits.payments.services.three_way_match import match_accounts
from hits.studies.models import Batch
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.browser.stage import launch, take_turns, work_through
from tests.conftest import Sites
from tests.factories import approve

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def compare(page: Page, *, account: str) -> None:
    """Start a comparison by the button, and run the background's part; the page updates itself."""
    page.get_by_role("button", name=f"Compare every HIT of {account}").click()
    page.get_by_text("Comparing…").wait_for()
    while running := Match.objects.filter(status=Match.Status.RUNNING).first():
        match_accounts(now=max(timezone.now(), running.look_at or timezone.now()))


def test_match_is_made_read_and_settled(visitor: Visitor, seeded: Seeded, sites: Sites) -> None:
    batch: Batch = seeded.batch
    account, page, admin = batch.account, visitor.page, f"{sites.public}/admin"
    launch(batch)
    take_turns(seeded.invitations[0], turns=2)
    work_through()
    approve([Bonus.objects.order_by("pk")[0]], now=timezone.now())
    pay_bonuses(now=timezone.now())
    Bonus.objects.filter(status="sent").update(sent_at=timezone.now() - timedelta(hours=1))
    batch.study.members.add(seeded.preparer.user)
    log_in(visitor.page, seeded.preparer, sites=sites)
    visitor.visit("match-list-new", f"{admin}/hits/match/")

    compare(page, account=account.name)
    page.get_by_text("The books agree.").wait_for()
    visitor.visit("match-agrees", page.url)
    with transaction.atomic("marketplace"):
        money.withdraw(requester_id=Requester.objects.get().pk, amount=Decimal("1.25"), now=timezone.now())
    page.goto(f"{admin}/hits/match/")
    compare(page, account=account.name)
    page.get_by_text("1 difference open.").wait_for()
    visitor.visit("match-differs", page.url)
    visitor.visit("match-list", f"{admin}/hits/match/")
    visitor.visit("match-differences", f"{admin}/hits/match/differences/")
    visitor.visit("match-difference", f"{admin}/hits/match/differences/{Difference.objects.get().pk}/")
    page.get_by_role("link", name="Record a withdrawal of $1.25…").click()
    visitor.visit("match-deposits", page.url)
    page.get_by_label("What it was").fill("Back to the university, transfer 17")
    page.get_by_role("button", name="Record the transfer").click()
    page.get_by_text("Recorded. Compare the account again").wait_for()
    visitor.visit("match-differences-none", f"{admin}/hits/match/differences/")

    assert visitor.problems == {}
    assert Difference.objects.get().resolved_by == seeded.preparer.user

"""The payments page with its charts, in both widths, light and dark."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from hits.identity.roles import PAYMENTS_PREPARER
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Match
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_account, make_batch, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
Kind, Book = LedgerEntry.Kind, LedgerEntry.Book


@pytest.mark.parametrize("size", SIZES)
def test_spending_and_balances_are_drawn(open_page: OpenPage, sites: Sites, size: str) -> None:
    study, now = make_study(name="Owls"), timezone.now()
    accounts = [make_account(name=name) for name in ("The lab’s own", "Shared with the clinic")]
    for account in accounts:
        make_batch(study=study, account=account)
    for day in range(0, 28, 2):
        at = now - timedelta(days=day)
        for kind, amount in ((Kind.REWARD, 9 + day % 7), (Kind.SENT, 3 + day % 5), (Kind.REWARD_FEE, 2)):
            LedgerEntry.objects.create(
                study=study, kind=kind, source=Book.RESERVED, target=Book.SENT, amount=amount, at=at
            )
        for place, account in enumerate(accounts, start=1):
            balance = Decimal(100 * place + 7 * day)
            Match.objects.create(
                account=account, status=Match.Status.DONE, started_at=at, ended_at=at, balance=balance
            )
    staff = make_staff(PAYMENTS_PREPARER)
    study.members.add(staff.user)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, staff, sites=sites)
    said: list[str] = []
    visitor.page.on("console", lambda message: said.append(message.text))

    visitor.visit("payments-charts", f"{sites.public}/admin/payments/")

    assert visitor.problems == {}
    assert said == []
    assert visitor.page.locator("[data-chart] svg").count() == 2

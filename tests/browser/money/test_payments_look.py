"""The payments desk and its neighbors, as a picky visitor sees them."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from crowd.demo.demo_people import Staff
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Halt
from hits.payments.services import bonus_runs
from hits.providers.models.accounts import Account
from tests.browser.doors import PASSWORD, log_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import approve, make_account, make_study, make_user
from tests.hits.books import open_batch, owed_bonus, paid_bonus

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def enter(visitor: Visitor, sites: Sites) -> None:
    payer = make_user(username="payer", password=PASSWORD, is_superuser=True)
    log_in(visitor.page, Staff(user=payer, password=PASSWORD), sites=sites)


def make_busy() -> tuple[int, int]:
    """Create payments in every state. Returns the ids of the study and of a run."""
    now = timezone.now()
    account: Account = make_account(name="marketplace", fee_schedule="amazon")
    batch = open_batch(study=make_study(name="Cues of winter", grant_code="GA-2026-17"), account=account)
    for _ in range(3):
        paid_bonus(batch, now=now - timedelta(days=3))
    owed_bonus(batch, now=now - timedelta(days=9))
    stuck = owed_bonus(batch, amount="1.40", now=now - timedelta(days=2))
    approve([stuck], now=now - timedelta(hours=5))
    Bonus.objects.filter(pk=stuck.pk).update(status="unknown", sending_at=now - timedelta(hours=4))
    preparer = make_user(username="preparer", is_superuser=True)
    run = bonus_runs.prepare_run(
        bonuses=[owed_bonus(batch, amount="2.10", now=now)], by=preparer, title="November, first", now=now
    )
    bonus_runs.freeze_run(run=run, by=preparer, now=now)
    Account.objects.filter(pk=account.pk).update(
        balance=Decimal("4.10"), balance_read_at=now - timedelta(hours=6)
    )
    Halt.objects.create(account=account, reason="A worker was paid twice.", by=preparer, at=now)
    return batch.study_id, run.pk


def test_payments_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    study, run = make_busy()
    enter(visitor, sites)
    admin = f"{sites.public}/admin"

    visitor.visit("payments-index", f"{admin}/")
    visitor.visit("payments", f"{admin}/payments/")
    visitor.visit("payments-books", f"{admin}/hits/ledgerentry/study/{study}/")
    visitor.visit("payments-books-none", f"{admin}/hits/ledgerentry/study/{study}/?kind=waived")
    for state in ("confirmed", "unknown", "owed"):
        bonus = Bonus.objects.filter(status=state).earliest("pk")
        visitor.visit(f"bonus-{state}", f"{admin}/hits/bonus/{bonus.pk}/change/")
    visitor.visit("payments-close", f"{admin}/payments/close/?study={study}")
    visitor.visit("payments-run-file", f"{admin}/payments/run/{run}/file/")
    visitor.visit("payments-audit", f"{admin}/hits/auditevent/")

    assert visitor.problems == {}


def test_payments_pages_without_anything_look_right(visitor: Visitor, sites: Sites) -> None:
    study = make_study(budget=None)
    enter(visitor, sites)

    visitor.visit("payments-empty", f"{sites.public}/admin/payments/")
    visitor.visit("payments-books-empty", f"{sites.public}/admin/hits/ledgerentry/study/{study.pk}/")

    assert visitor.problems == {}

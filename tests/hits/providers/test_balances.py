"""The balance that pages of money show is kept from growing old."""

from datetime import timedelta
from decimal import Decimal

import pytest

from hits.providers.models.accounts import Account
from hits.providers.services import balances
from tests.factories import NOW, make_account
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db


def test_balance_is_read_again_once_it_is_old(turk: StubbedTurk) -> None:
    account = make_account()
    turk.balance = Decimal(10)
    balances.read_old_balances(now=NOW)
    turk.balance = Decimal("7.40")
    balances.read_old_balances(now=NOW + timedelta(minutes=14))
    account.refresh_from_db()
    soon = account.balance

    balances.read_old_balances(now=NOW + timedelta(minutes=15))

    account.refresh_from_db()
    assert (soon, account.balance) == (Decimal("10.00"), Decimal("7.40"))
    assert account.balance_read_at == NOW + timedelta(minutes=15)
    assert balances.next_reading(now=NOW) == NOW + timedelta(minutes=30)


def test_account_that_does_not_answer_keeps_its_balance_and_keeps_no_other_waiting(
    turk: StubbedTurk,
) -> None:
    silent, other = make_account(), make_account()
    Account.objects.filter(pk=silent.pk).update(balance=Decimal(3), balance_read_at=NOW - timedelta(hours=1))
    turk.faults["get_account_balance"] = ["before"]
    turk.balance = Decimal(5)

    balances.read_old_balances(now=NOW)

    silent.refresh_from_db()
    other.refresh_from_db()
    assert (silent.balance, other.balance) == (Decimal("3.00"), Decimal("5.00"))
    assert balances.next_reading(now=NOW) == NOW - timedelta(minutes=45)


def test_account_whose_people_come_from_elsewhere_has_no_balance(turk: StubbedTurk) -> None:
    make_account(kind="web")

    balances.read_old_balances(now=NOW)

    assert balances.next_reading(now=NOW) is None

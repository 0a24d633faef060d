"""Transfers of the requester's money. Callers hold the transaction; the requester's row is locked first."""

from datetime import datetime
from decimal import Decimal
from uuid import uuid4

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import LedgerEntry, Requester

Account = LedgerEntry.Account


def deposit(*, requester_id: int, amount: Decimal, now: datetime) -> None:
    change_available(requester_id=requester_id, by=amount)
    _transfer(requester_id, amount, Account.DEPOSITS, Account.AVAILABLE, subject="deposit", now=now)


def hold(*, requester_id: int, amount: Decimal, subject: str, now: datetime) -> None:
    """Set aside for a HIT's assignments. Raises InsufficientFunds."""
    change_available(requester_id=requester_id, by=-amount)
    _transfer(requester_id, amount, Account.AVAILABLE, Account.HELD, subject=subject, now=now)


def release(*, requester_id: int, amount: Decimal, subject: str, now: datetime) -> None:
    change_available(requester_id=requester_id, by=amount)
    _transfer(requester_id, amount, Account.HELD, Account.AVAILABLE, subject=subject, now=now)


def settle_reward(*, requester_id: int, reward: Decimal, fee: Decimal, subject: str, now: datetime) -> None:
    """From what was held to the worker and the fee: the balance was charged at creation."""
    _transfer(requester_id, reward, Account.HELD, Account.WORKERS, subject=subject, now=now)
    _transfer(requester_id, fee, Account.HELD, Account.FEES, subject=subject, now=now)


def spend_bonus(*, requester_id: int, bonus: Decimal, fee: Decimal, subject: str, now: datetime) -> None:
    change_available(requester_id=requester_id, by=-(bonus + fee))
    _transfer(requester_id, bonus, Account.AVAILABLE, Account.WORKERS, subject=subject, now=now)
    _transfer(requester_id, fee, Account.AVAILABLE, Account.FEES, subject=subject, now=now)


def change_available(*, requester_id: int, by: Decimal) -> None:
    """Computed in Python under a row lock: SQLite would add decimals as floats."""
    requester = Requester.objects.select_for_update(no_key=True).get(pk=requester_id)
    if requester.available + by < 0:
        raise RequestError(
            f"This Requester has insufficient funds in their account to complete this transaction: "
            f"{-by} needed, {requester.available} available.",
            code="InsufficientFunds",
        )
    requester.available += by
    requester.save(update_fields=["available"])


def _transfer(
    requester_id: int,
    amount: Decimal,
    source: Account,
    target: Account,
    *,
    subject: str,
    now: datetime,
) -> None:
    if not amount:
        return
    transfer = uuid4()
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            requester_id=requester_id,
            account=account,
            amount=signed,
            transfer=transfer,
            subject=subject,
            created_at=now,
        )
        for account, signed in ((source, -amount), (target, amount))
    )

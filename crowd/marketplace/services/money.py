"""Transfers of money. Callers hold the transaction; the rows that keep a balance are locked first.

Balances are computed in Python under a row lock: SQLite would add decimals as floats.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from uuid import uuid4

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import LedgerEntry, Payout
from crowd.marketplace.models.parties import Requester, Worker
from hits.common.currencies import in_dollars
from hits.common.kept_queries import KeptQuery, given_id
from hits.common.kept_writes import insert, update

Account = LedgerEntry.Account
LOCK_REQUESTER = KeptQuery(
    lambda: Requester.objects.filter(pk=given_id("requester")).select_for_update(no_key=True)
)
LOCK_WORKER = KeptQuery(lambda: Worker.objects.filter(pk=given_id("worker")).select_for_update(no_key=True))


def deposit(*, requester_id: int, amount: Decimal, now: datetime, subject: str = "deposit") -> None:
    _change(requester_id, available=amount)
    _transfer(
        Account.DEPOSITS, Account.AVAILABLE, amount, requester_id=requester_id, subject=subject, now=now
    )


def withdraw(*, requester_id: int, amount: Decimal, now: datetime, subject: str = "withdrawal") -> None:
    """Return money to the requester. Raises InsufficientFunds."""
    _change(requester_id, available=-amount)
    _transfer(
        Account.AVAILABLE, Account.DEPOSITS, amount, requester_id=requester_id, subject=subject, now=now
    )


def hold(*, requester_id: int, amount: Decimal, subject: str, now: datetime) -> None:
    """Set money aside for a HIT's assignments. Raises RequestError without the money, or if closed."""
    if _change(requester_id, available=-amount, on_hold=amount).closed_at:
        raise RequestError("This Requester is closed.")
    _transfer(Account.AVAILABLE, Account.HELD, amount, requester_id=requester_id, subject=subject, now=now)


def release(*, requester_id: int, amount: Decimal, subject: str, now: datetime) -> None:
    _change(requester_id, available=amount, on_hold=-amount)
    _transfer(Account.HELD, Account.AVAILABLE, amount, requester_id=requester_id, subject=subject, now=now)


def settle_reward(
    *, requester_id: int, worker_id: int, reward: Decimal, fee: Decimal, subject: str, now: datetime
) -> None:
    """Pay reward and fee from the held money: the requester's balance was charged at creation."""
    _change(requester_id, on_hold=-(reward + fee))
    _pay(Account.HELD, reward, fee, requester_id=requester_id, worker_id=worker_id, subject=subject, now=now)


def spend_bonus(
    *, requester_id: int, worker_id: int, bonus: Decimal, fee: Decimal, subject: str, now: datetime
) -> None:
    """Pay a bonus and its fee from the available money. Raises InsufficientFunds."""
    _change(requester_id, available=-(bonus + fee))
    _pay(
        Account.AVAILABLE,
        bonus,
        fee,
        requester_id=requester_id,
        worker_id=worker_id,
        subject=subject,
        now=now,
    )


def pay_out(*, worker_id: int, amount: Decimal, reference: str, paid_by: str, now: datetime) -> Payout:
    """Record what the operator paid outside. Raises RequestError if that is more than is owed."""
    worker = Worker.objects.select_for_update(no_key=True).get(pk=worker_id)
    if not 0 < amount <= worker.owed:
        raise RequestError(
            f"{worker} is owed {in_dollars(worker.owed)}; a payout of {in_dollars(amount)} does not fit."
        )
    worker.owed -= amount
    worker.save(update_fields=["owed"])
    payout = Payout.objects.create(
        worker=worker, amount=amount, reference=reference, paid_by=paid_by, paid_at=now
    )
    _transfer(
        Account.WORKERS, Account.PAID, amount, worker_id=worker_id, subject=f"payout {payout.pk}", now=now
    )
    return payout


def take_back_payout(*, payout: Payout, now: datetime) -> None:
    """Owe a payout again that was marked by mistake. Idempotent: raises RequestError the second time."""
    worker = Worker.objects.select_for_update(no_key=True).get(pk=payout.worker_id)
    subject = f"payout {payout.pk} taken back"
    if LedgerEntry.objects.filter(worker=worker, account=Account.PAID, subject=subject).exists():
        raise RequestError("This payout was taken back already.")
    worker.owed += payout.amount
    worker.save(update_fields=["owed"])
    _transfer(Account.PAID, Account.WORKERS, payout.amount, worker_id=worker.pk, subject=subject, now=now)


def lock_parties(*, requester_id: int, worker_ids: Iterable[int]) -> None:
    """Lock all parties in the lock order before several workers are paid in one transaction."""
    Requester.objects.select_for_update(no_key=True).get(pk=requester_id)
    list(Worker.objects.select_for_update(no_key=True).filter(pk__in=worker_ids).order_by("pk"))


def _change(
    requester_id: int, *, available: Decimal = Decimal(0), on_hold: Decimal = Decimal(0)
) -> Requester:
    [requester] = LOCK_REQUESTER.rows(requester=requester_id)
    if requester.available + available < 0:
        raise RequestError(
            f"This Requester has insufficient funds in their account to complete this transaction: "
            f"{-available} needed, {requester.available} available.",
            code="InsufficientFunds",
        )
    requester.available += available
    requester.on_hold += on_hold
    update(requester, "available", "on_hold")
    return requester


def _pay(
    source: Account,
    amount: Decimal,
    fee: Decimal,
    *,
    requester_id: int,
    worker_id: int,
    subject: str,
    now: datetime,
) -> None:
    [worker] = LOCK_WORKER.rows(worker=worker_id)
    worker.earned += amount
    worker.owed += amount
    update(worker, "earned", "owed")
    _transfer(
        source,
        Account.WORKERS,
        amount,
        requester_id=requester_id,
        worker_id=worker_id,
        subject=subject,
        now=now,
    )
    _transfer(source, Account.FEES, fee, requester_id=requester_id, subject=subject, now=now)


def _transfer(
    source: Account,
    target: Account,
    amount: Decimal,
    *,
    subject: str,
    now: datetime,
    requester_id: int | None = None,
    worker_id: int | None = None,
) -> None:
    if not amount:
        return
    transfer = uuid4()
    insert(
        *(
            LedgerEntry(
                requester_id=requester_id,
                worker_id=worker_id,
                account=account,
                amount=signed,
                transfer=transfer,
                subject=subject,
                created_at=now,
            )
            for account, signed in ((source, -amount), (target, amount))
        )
    )

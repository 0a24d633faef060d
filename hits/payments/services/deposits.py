"""Money that went to a provider or came back from it: recorded once, and never changed."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from hits.common.currencies import in_money
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.payments.models.matches import Deposit, Difference
from hits.providers.models.accounts import Account

ADD = "hits.add_deposit"
MOST = Decimal(10_000_000)
OPENING = "Opening balance: what was there when the books began"
# The same deposit within this time is a second click, not a second deposit.
AGAIN = timedelta(minutes=2)


def record_deposit(*, account: Account, amount: Decimal, words: str, by: User, now: datetime) -> Deposit:
    """Record a deposit, or a withdrawal if negative, and close the balance difference that it explains."""
    if not by.has_perm(ADD):
        raise RuleBroken("not_allowed", "You may not record deposits. Ask a member of the payments staff.")
    if not amount or abs(amount) > MOST or amount != amount.quantize(Decimal("0.01")):
        raise RuleBroken(
            "bad_amount",
            f"Give an amount of whole cents, not zero, and at most {in_money(MOST, account.currency)}.",
        )
    if not words.strip():
        raise RuleBroken("no_words", "Say what it was, such as the number of the transfer.")
    with transaction.atomic():
        held = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        same = Deposit.objects.filter(account=held, amount=amount, words=words.strip(), by=by)
        if same.filter(at__gt=now - AGAIN).exists():
            raise RuleBroken(
                "recorded_already",
                f"{in_money(amount, held.currency)} was recorded with these words a moment ago. If it is "
                "another transfer, say so in the words.",
            )
        made = Deposit.objects.create(account=held, amount=amount, words=words.strip(), by=by, at=now)
        _close_explained(made, by=by, now=now)
        kind = "deposit.recorded" if amount > 0 else "withdrawal.recorded"
        note(kind, f"{_name(made)}: {made.words}", by=by, now=now, account=held)
    return made


def open_books(*, account: Account, amount: Decimal, now: datetime) -> None:
    """Record as opening balance what the first match found and no book explains. Only the first call does.

    The caller holds no transaction.
    """
    with transaction.atomic():
        held = Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        if not amount or Deposit.objects.filter(account=held, by=None).exists():
            return
        Deposit.objects.create(account=held, amount=amount, words=OPENING, by=None, at=now)
        note(
            "deposit.opening", f"{OPENING}: {in_money(amount, held.currency)}", by=None, now=now, account=held
        )


def _close_explained(made: Deposit, *, by: User, now: datetime) -> None:
    rows = Difference.objects.filter(
        account=made.account, cause=Difference.Cause.BALANCE, resolved_at=None
    ).select_for_update(no_key=True)
    for row in rows:
        if row.ours is not None and row.theirs is not None and row.theirs - row.ours == made.amount:
            row.resolved_at, row.resolved_by = now, by
            row.resolution = f"{_name(made)} was recorded: {made.words}"
            row.save(update_fields=["resolved_at", "resolved_by", "resolution"])


def _name(deposit: Deposit) -> str:
    """Return what it was, with the amount in the account's currency."""
    what = "A deposit" if deposit.amount > 0 else "A withdrawal"
    return f"{what} of {in_money(abs(deposit.amount), deposit.account.currency)}"

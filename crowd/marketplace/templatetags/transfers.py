"""What a transfer of the ledger was for, in words."""

from django import template

from crowd.marketplace.models import LedgerEntry

register = template.Library()
Account = LedgerEntry.Account
PURPOSES = {
    (Account.DEPOSITS, Account.AVAILABLE): "Deposit",
    (Account.AVAILABLE, Account.DEPOSITS): "Withdrawal",
    (Account.AVAILABLE, Account.HELD): "Put on hold",
    (Account.HELD, Account.AVAILABLE): "No longer on hold",
    (Account.HELD, Account.WORKERS): "Reward",
    (Account.HELD, Account.FEES): "Fee of a reward",
    (Account.AVAILABLE, Account.WORKERS): "Bonus",
    (Account.AVAILABLE, Account.FEES): "Fee of a bonus",
}


@register.filter
def purpose(account: str, source: str) -> str:
    """The purpose of money that went from `source` to `account`."""
    return PURPOSES.get((Account(source), Account(account)), "")

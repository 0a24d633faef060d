from datetime import datetime, timedelta
from decimal import Decimal

import structlog
from django.db.models import Q

from hits.core.errors import ProviderError
from hits.providers.gateway.interface import Provider
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import can_be_used, soonest, usable

# Pages of money show a balance, and the books beside it are those of now.
READ_EVERY = timedelta(minutes=15)
log = structlog.get_logger()


def read_balance(*, account: Account, provider: Provider, now: datetime) -> Decimal:
    """Ask for the balance, and keep it for pages that do not ask. It never replaces a newer one."""
    balance = provider.get_balance()
    is_news = Q(balance_read_at=None) | Q(balance_read_at__lt=now)
    Account.objects.filter(is_news, pk=account.pk).update(balance=balance, balance_read_at=now)
    return balance


def read_old_balances(*, now: datetime) -> None:
    is_old = Q(balance_read_at=None) | Q(balance_read_at__lte=now - READ_EVERY)
    for account, provider in usable(Account.objects.connected().filter(is_old).values("pk")):
        try:
            read_balance(account=account, provider=provider, now=now)
        except ProviderError as error:
            log.warning("account.balance_not_read", account=str(account.public_id), error=str(error))


def next_reading(*, now: datetime) -> datetime | None:
    accounts = filter(can_be_used, Account.objects.connected())
    return soonest(*(one.balance_read_at + READ_EVERY if one.balance_read_at else now for one in accounts))

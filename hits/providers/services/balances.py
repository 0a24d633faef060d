from datetime import datetime
from decimal import Decimal

from django.db.models import Q

from hits.providers.gateway.interface import Provider
from hits.providers.models.accounts import Account


def read_balance(*, account: Account, provider: Provider, now: datetime) -> Decimal:
    """Ask for the balance, and keep it for pages that do not ask. It never replaces a newer one."""
    balance = provider.get_balance()
    is_news = Q(balance_read_at=None) | Q(balance_read_at__lt=now)
    Account.objects.filter(is_news, pk=account.pk).update(balance=balance, balance_read_at=now)
    return balance

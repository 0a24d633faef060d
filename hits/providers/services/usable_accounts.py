"""Accounts that can be used, and the instants when their next rows are due."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, cast

import structlog
from django.db.models import QuerySet

from hits.core.errors import ProviderError
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account

NO_TIME = timedelta(0)
log = structlog.get_logger()


def usable(accounts: QuerySet[Any, Any]) -> Iterator[tuple[Account, Provider]]:
    """Yield the accounts that can be used. One that cannot keeps only its own rows waiting."""
    for account in Account.objects.filter(pk__in=accounts).order_by("pk"):
        try:
            yield account, provider_for(account)
        except ProviderError as error:
            log.warning("account.no_provider", account=str(account.public_id), error=str(error))


def can_be_used(account: Account) -> bool:
    try:
        provider_for(account)
    except ProviderError:
        return False
    return True


def any_usable(rows: QuerySet[Any], *, account: str) -> bool:
    """Whether an account that can be used has one of these rows. `account` is the lookup from a row to it."""
    return any(map(can_be_used, Account.objects.filter(pk__in=rows.order_by().values(account))))


def earliest(
    rows: QuerySet[Any], moment: str, *, account: str = "", after: timedelta = NO_TIME
) -> datetime | None:
    """Return the first of these moments, or so long after it. Rows without one do not count.

    With `account`, the rows of an account that cannot be used do not count either: they wait for a person.
    """
    dated = rows.filter(**{f"{moment}__isnull": False}).order_by(moment)
    while first := dated.values_list(moment, account or "pk").first():
        at, key = first
        if not account or can_be_used(Account.objects.get(pk=key)):
            return cast("datetime", at) + after
        dated = dated.exclude(**{account: key})
    return None


def earliest_or_now(
    rows: QuerySet[Any], moment: str, *, account: str, after: timedelta = NO_TIME, now: datetime
) -> datetime | None:
    """Return what `earliest` does, but now if a usable account has a row without the moment."""
    if any_usable(rows.filter(**{moment: None}), account=account):
        return now
    return earliest(rows, moment, account=account, after=after)


def soonest(*moments: datetime | None) -> datetime | None:
    return min(filter(None, moments), default=None)

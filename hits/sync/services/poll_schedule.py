"""When a HIT is worth a look, and what the first glance tells."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, cast

import structlog
from django.db.models import Q, QuerySet

from hits.core.errors import ProviderError
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.work.models.hits import HIT

NO_TIME = timedelta(0)
log = structlog.get_logger()


def look_soon(*, hit_ids: Iterable[int], now: datetime) -> int:
    """The next run of the reconciler reads these. A look that is under way then is made again."""
    return _bring_forward(HIT.objects.filter(pk__in=hit_ids), to=now)


def look_by(*, hit_id: int, at: datetime) -> bool:
    """The HIT is read then at the latest."""
    return bool(_bring_forward(HIT.objects.filter(pk=hit_id), to=at))


def fingerprint(found: ProviderHIT) -> str:
    """The same only if nothing was handed in or reviewed since.

    With the expiry: a HIT that was extended and filled again may show the counters it had before.
    """
    until = int(found.expires_at.timestamp()) if found.expires_at else ""
    return f"{found.counters} {until}"[:64]


def is_untouched(found: ProviderHIT) -> bool:
    return found.available == found.max_assignments


def mark_seen(*, hit: HIT, provider: Provider) -> None:
    """Off the provider's list of news. If it fails, the survey repeats it."""
    try:
        provider.mark_seen(hit.external_id)
    except ProviderError as error:
        log.info("hit.not_marked_seen", hit=str(hit.public_id), error=str(error))


def usable(accounts: QuerySet[Any, Any]) -> Iterator[tuple[Account, Provider]]:
    """An account that cannot be used keeps its own rows waiting, and nobody else's."""
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
    """Whether an account that can be used holds one of these. `account` is the way from a row to it."""
    return any(map(can_be_used, Account.objects.filter(pk__in=rows.order_by().values(account))))


def earliest(
    rows: QuerySet[Any], moment: str, *, account: str = "", after: timedelta = NO_TIME
) -> datetime | None:
    """The first of these moments, or so long after it. Rows without one do not count.

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
    """The same where a row without the moment is due at once."""
    if any_usable(rows.filter(**{moment: None}), account=account):
        return now
    return earliest(rows, moment, account=account, after=after)


def soonest(*moments: datetime | None) -> datetime | None:
    return min(filter(None, moments), default=None)


def _bring_forward(hits: QuerySet[HIT], *, to: datetime) -> int:
    later = Q(look_at=None) | Q(look_at__gt=to)
    return hits.filter(later, status=HIT.Status.OPEN).update(look_at=to)

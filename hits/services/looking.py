"""When a HIT is worth a look, and what the first glance tells."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Q, QuerySet

from hits.errors import ProviderError
from hits.gateway import Provider, ProviderHIT, provider_for
from hits.models import HIT, Account

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


def _bring_forward(hits: QuerySet[HIT], *, to: datetime) -> int:
    later = Q(look_at=None) | Q(look_at__gt=to)
    return hits.filter(later, status=HIT.Status.OPEN).update(look_at=to)

"""First look at a HIT: what its counters tell without reading its work."""

from datetime import UTC, datetime

import structlog

from hits.core.errors import ProviderError
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.work.models.hits import HIT

log = structlog.get_logger()


def fingerprint(found: ProviderHIT) -> str:
    """Return a text that stays equal only if nothing was submitted or reviewed since.

    It includes the expiry: a HIT that was extended and filled again may show the counters it had before.
    """
    until = int(found.expires_at.timestamp()) if found.expires_at else ""
    return f"{found.counters} {until}"[:64]


def end_seen(hit: HIT) -> datetime | None:
    """Return the expiry in the fingerprint of the HIT's last reading."""
    until = hit.seen.rpartition(" ")[2]
    return datetime.fromtimestamp(int(until), UTC) if until.isdecimal() else None


def is_untouched(found: ProviderHIT) -> bool:
    return found.available == found.max_assignments


def mark_seen(*, hit: HIT, provider: Provider) -> None:
    """Take the HIT off the provider's list of news. If it fails, the full scan repeats it."""
    try:
        provider.mark_seen(hit.external_id)
    except ProviderError as error:
        log.info("hit.not_marked_seen", hit=str(hit.public_id), error=str(error))

"""Repetition of changes that the provider accepted but does not show, as after a restore from a copy.

The look that follows every change finds them. Expiring and lengthening may be repeated at any time; places
are asked for with the token that they had, and only for as long as the provider remembers it.
"""

from datetime import datetime, timedelta

import structlog

from hits.batches.services.sending_hits import TOKEN_MEMORY
from hits.core.errors import ProviderRefused, StandsStill
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.sync.services.hit_fingerprint import end_seen
from hits.work.models.hits import HIT, Change

# Instants that differ by less are the same: clocks differ, and providers send whole seconds.
ALIKE = timedelta(minutes=1)
Kind = Change.Kind
log = structlog.get_logger()


def insist(*, hit: HIT, found: ProviderHIT, provider: Provider, now: datetime) -> ProviderHIT:
    """Repeat lost changes; return the HIT as it is then. `hit` was read first. Raises ProviderError."""
    if found.max_assignments >= hit.max_assignments and _ends_alike(hit, found):
        return found
    unheard = [change for change in _told(hit, now=now) if not _shows(found, change, hit=hit)]
    for change in unheard:
        log.warning("change.told_again", hit=str(hit.public_id), kind=change.kind)
        _tell_again(change, hit=hit, provider=provider)
    return provider.get_hit(hit.external_id) if unheard else found


def _ends_alike(hit: HIT, found: ProviderHIT) -> bool:
    if hit.expires_at is None or found.expires_at is None:
        return True
    return abs(hit.expires_at - found.expires_at) < ALIKE


def _told(hit: HIT, *, now: datetime) -> list[Change]:
    """Return the last day's additions and its last change of the end; none while a change is on its way."""
    changes = hit.changes.order_by("pk")
    if changes.filter(status=Change.Status.INTENDED).exists():
        return []
    told = list(changes.filter(status=Change.Status.DONE, asked_at__gt=now - TOKEN_MEMORY))
    ends = [change for change in told if change.kind != Kind.ADD]
    return [*(change for change in told if change.kind == Kind.ADD), *ends[-1:]]


def _shows(found: ProviderHIT, change: Change, *, hit: HIT) -> bool:
    if change.kind == Kind.ADD:
        return found.max_assignments >= hit.max_assignments
    if found.expires_at is None:
        return True
    if change.kind == Kind.EXPIRE:
        return change.done_at is None or found.expires_at < change.done_at + ALIKE
    if change.expires_at is None or found.expires_at > change.expires_at - ALIKE:
        return True
    # It held when the HIT was last read: since then somebody has ended the HIT, and nothing was lost.
    seen_until = end_seen(hit)
    return seen_until is not None and abs(seen_until - change.expires_at) < ALIKE


def _tell_again(change: Change, *, hit: HIT, provider: Provider) -> None:
    """Send the change again. A refusal is no news: the token refuses places that were added before."""
    try:
        if change.kind == Kind.EXPIRE:
            provider.expire_hit(hit.external_id)
        elif change.kind == Kind.EXTEND and change.expires_at:
            provider.extend_hit(hit.external_id, expires_at=change.expires_at)
        else:
            provider.add_places(hit.external_id, places=change.places or 0, token=change.token)
    except StandsStill:  # it is looked at again once a person has confirmed
        log.info("change.waits", hit=str(hit.public_id), kind=change.kind)
    except ProviderRefused as refusal:
        log.info("change.not_told_again", hit=str(hit.public_id), kind=change.kind, code=refusal.code)

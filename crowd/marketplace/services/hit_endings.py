"""The end of a HIT: expiry, completion, deletion, and what its review policies then do."""

from datetime import datetime

from django.db.models import QuerySet

from crowd.marketplace import domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, out_of_range, wrong_state
from crowd.marketplace.models import HIT
from crowd.marketplace.services import events, hit_creation, review_policies


def set_expiration(*, hit: HIT, expires_at: datetime, now: datetime) -> None:
    """Move a locked HIT's expiry. The past expires it at once; a later time opens an expired one again."""
    hit_creation.refuse_if_disposed(hit)
    if expires_at <= now:
        expire_hit(hit=hit, now=now)
        return
    if expires_at > now + hit_creation.FARTHEST_END:
        raise out_of_range("ExpireAt", low="now", high="ten years from now")
    is_longer = expires_at > hit.expires_at
    hit.expires_at = expires_at
    hit.save(update_fields=["expires_at"])
    if hit.closed_at and hit.counts.available:
        hit_creation.reopen(hit, now=now)
    if is_longer:
        events.record(hit=hit, event_type="HITExtended", now=now)


def expire_hit(*, hit: HIT, now: datetime) -> None:
    """Expire a HIT: no worker may accept it now; those who have may submit until their own deadline."""
    with atomic():
        locked = hit_creation.lock_hit(hit.pk)
        if locked.expires_at > now:
            locked.expires_at = now
            locked.save(update_fields=["expires_at"])
        if not locked.closed_at:
            end_if_over(locked, now=now)


def take_down(hits: QuerySet[HIT], *, now: datetime) -> int:
    """End the time of these HITs, so that nobody accepts one from now on; return how many were on offer.

    The clock then expires each, however many there are. Callers hold the transaction.
    """
    on_offer = hits.filter(closed_at=None, expires_at__gt=now)
    list(on_offer.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # locked in one order
    return on_offer.update(expires_at=now)


def expire_if_due(hit_id: int, *, now: datetime) -> None:
    """Expire a HIT when the clock says so. One whose time was lengthened meanwhile stays open."""
    with atomic():
        hit = hit_creation.lock_hit(hit_id)
        if not hit.closed_at and hit.expires_at <= now:
            end_if_over(hit, now=now)


def end_if_over(hit: HIT, *, now: datetime) -> None:
    """Close a HIT that is over. Called once whenever work ended or the time was over.

    `hit` is locked and its counters are fresh.
    """
    if not hit.closed_at:
        is_expired = hit.expires_at <= now
        if not is_expired and hit.counts.done < hit.max_assignments:
            return
        hit.closed_at = min(now, hit.expires_at)  # not the instant when the clock was looked at
        hit.save(update_fields=["closed_at"])
        hit_creation.release_places(hit, places=hit.counts.available, now=now)
        if is_expired:
            events.record(hit=hit, event_type="HITExpired", now=now)
    if not hit.pending:
        events.record(hit=hit, event_type="HITReviewable", now=now)
        review_policies.judge_hit(hit=hit, now=now)


def set_reviewing(*, hit: HIT, revert: bool) -> None:
    """Move a locked HIT between Reviewable and Reviewing. Raises RequestError in any other state."""
    wanted: domain.HITStatus = "Reviewing" if revert else "Reviewable"
    status = hit_creation.hit_status(hit)
    if status != wanted:
        raise wrong_state("HIT", allowed=wanted, current=status)
    hit.is_reviewing = not revert
    hit.save(update_fields=["is_reviewing"])


def dispose_hit(*, hit: HIT, now: datetime) -> None:
    """Dispose of a locked HIT. Raises RequestError if it is not over, or work in it waits for a review."""
    status = hit_creation.hit_status(hit)
    if status not in ("Reviewable", "Reviewing"):
        raise wrong_state("HIT", allowed="Reviewing, Reviewable", current=status)
    if hit.submitted:
        raise RequestError(
            f"HIT {hit.external_id} has {hit.submitted} assignments to approve or reject first.",
            code="InvalidHITState",
        )
    hit.disposed_at = now
    hit.save(update_fields=["disposed_at"])
    events.record(hit=hit, event_type="HITDisposed", now=now)


def dispose_if_still_over(*, hit_id: int, now: datetime) -> None:
    """Dispose of an old HIT when the clock says so. One that was extended meanwhile stays."""
    with atomic():
        hit = hit_creation.lock_hit(hit_id)
        is_old = hit.closed_at is not None and hit.closed_at <= now - hit_creation.DISPOSED_AFTER
        if is_old and hit_creation.hit_status(hit) in ("Reviewable", "Reviewing") and not hit.submitted:
            dispose_hit(hit=hit, now=now)

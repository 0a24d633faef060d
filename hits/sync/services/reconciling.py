"""Reconciliation with the provider's evidence, which alone would suffice; notifications only make it sooner.

A look costs one call where nothing has changed, and HITs without news get none: HIT.look_at says when one is
due, and the full scan finds the rest. Lock order: as in hits.work.services.leasing.
"""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet

from hits.common.sweep_parts import in_parts
from hits.core.errors import ProviderError, ProviderRefused
from hits.core.states import move
from hits.providers.gateway.interface import Provider, ProviderHIT
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import earliest, earliest_or_now, soonest, usable
from hits.studies.services import mark_stale
from hits.sync.services.full_scan import survey
from hits.sync.services.hit_fingerprint import fingerprint, is_untouched, mark_seen
from hits.sync.services.import_submissions import read_assignments
from hits.sync.services.lost_changes import insist
from hits.sync.services.noticing_early_ends import keep_early_end
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT, Change
from hits.work.services.leasing import GRACE, UNSETTLED, end_attempts, next_release, release_overdue
from hits.work.services.poll_schedule import look_soon

__all__ = ["look_soon", "next_look", "reconcile", "reconcile_everything", "reconcile_hit", "survey"]
# A look that fails, or dies, is made again after this. The claim also keeps a second process off.
RETRY = timedelta(seconds=60)
# Rest of an account after two HITs in a row could not be read from it.
REST = timedelta(seconds=30)
MOST_FAILED = 2
# Work saved here is looked for after as long again as it has waited, between these two.
SOONEST, LATEST = timedelta(seconds=3), timedelta(minutes=10)
# A HIT without news is looked at after this. The full scan sees all far more often, a hundred in one call.
QUIET = timedelta(days=1)
# A provider that is late in approving by itself is asked again after this.
LATE = timedelta(minutes=10)
# The same, once the provider no longer knows the HIT: it may show up there again, and hardly does.
LATE_AND_GONE = timedelta(days=1)
# Seconds' worth of an account's calls in one run, so that every account gets its turn.
TURN_S = 5
Status = Assignment.Status
log = structlog.get_logger()


def reconcile(*, now: datetime) -> int:
    """Make every look that is due and apply what the clock alone decides; return how much was done."""
    return in_parts((mirror_approved, _look_at_accounts, release_overdue), lambda step: step(now=now))


def next_look(*, now: datetime) -> datetime | None:
    """Return when a HIT is looked at, work approves itself, or unsubmitted work is given up next."""
    return soonest(
        earliest_or_now(_open_hits(), "look_at", account="batch__account", now=now),
        earliest(_waiting_for_approval(), "auto_approves_at", account="account"),
        next_release(),
    )


def reconcile_everything(*, now: datetime, thorough: bool = False) -> Counter[str]:
    """Make both sides agree, whatever was lost. For operators and tests; it asks for every HIT.

    A thorough run trusts no row here: it costs a call for each HIT that there ever was.
    """
    found = survey(now=now, force=True, thorough=thorough)
    while done := reconcile(now=now):
        found["looks"] += done
    return found


def reconcile_hit(*, hit: HIT, provider: Provider, now: datetime) -> None:
    """Reconcile a HIT. Its state is read before its list: a change in between shows at the next look."""
    try:
        found = provider.get_hit(hit.external_id)
    except ProviderRefused as refusal:
        if not refusal.hit_is_gone:
            raise
        close_gone(hit=hit, words=str(refusal), now=now)
        return
    found = insist(hit=hit, found=found, provider=provider, now=now)
    if _wants_reading(hit, found, now=now):
        read_assignments(hit=hit, provider=provider, now=now)
    _keep_terms(hit, found)
    keep_early_end(hit=hit, found=found, provider=provider, now=now)
    if not found.is_over:
        _schedule(hit, seen=fingerprint(found), now=now)
    elif _close(hit, seen=fingerprint(found), now=now) and found.status == "Reviewable":
        mark_seen(hit=hit, provider=provider)


def mirror_approved(*, now: datetime) -> int:
    """Look for approvals that the provider should have made by itself, one HIT after another."""
    late = _waiting_for_approval().filter(auto_approves_at__lte=now)
    return in_parts(
        usable(late.values("account")),
        lambda one: _mirror_turn(late.filter(account=one[0]), *one, now=now),
    )


def _mirror_turn(late: QuerySet[Assignment], account: Account, provider: Provider, *, now: datetime) -> int:
    done = 0
    oldest = late.order_by("auto_approves_at").values_list("hit_id", flat=True)
    for hit_id in dict.fromkeys(oldest[: TURN_S * account.send_rate]):
        hit = HIT.objects.select_related("batch__account").get(pk=hit_id)
        # Before the call: one that fails or dies is made again, but not at once.
        done += late.filter(hit=hit).update(auto_approves_at=now + LATE)
        try:
            read_assignments(hit=hit, provider=provider, now=now)
        except ProviderError as error:
            log.warning("hit.reconcile_failed", hit=str(hit.public_id), error=str(error))
            if not (isinstance(error, ProviderRefused) and error.hit_is_gone):
                break  # it is not the HIT
            close_gone(hit=hit, words=str(error), now=now)
            _waiting_for_approval().filter(hit=hit).update(auto_approves_at=now + LATE_AND_GONE)
    return done


def close_gone(*, hit: HIT, words: str, now: datetime) -> None:
    """Close a HIT that the provider no longer has. If it shows up there again, the full scan reopens it."""
    log.warning("hit.gone", hit=str(hit.public_id))
    _close(hit, seen="", now=now, problem=f"The provider no longer has this HIT: {words}")


def _open_hits() -> QuerySet[HIT]:
    return HIT.objects.filter(status=HIT.Status.OPEN)


def _waiting_for_approval() -> QuerySet[Assignment]:
    return Assignment.objects.filter(status=Status.SUBMITTED)


def _is_due(now: datetime) -> Q:
    return Q(look_at__lte=now) | Q(look_at=None)


def _look_at_accounts(*, now: datetime) -> int:
    due = _open_hits().filter(_is_due(now))
    return in_parts(usable(due.values("batch__account")), lambda one: _look_at_due(*one, due=due, now=now))


def _look_at_due(account: Account, provider: Provider, *, due: QuerySet[HIT], now: datetime) -> int:
    """Look at due HITs, those in work first: thousands that end at one time must not keep them waiting."""
    own = due.filter(batch__account=account).select_related("batch")
    begun = Exists(Assignment.objects.filter(hit=OuterRef("pk"), status__in=UNSETTLED))
    oldest = own.order_by(begun.desc(), F("look_at").asc(nulls_first=True), "pk")
    looked = failed = 0
    for hit in oldest[: TURN_S * account.send_rate]:
        if not _claim(hit, now=now):
            continue
        looked += 1
        hit.batch.account = account
        try:
            reconcile_hit(hit=hit, provider=provider, now=now)
        except ProviderError as error:
            log.warning("hit.reconcile_failed", hit=str(hit.public_id), error=str(error))
            failed += 1
            if failed == MOST_FAILED:  # it is not the HIT
                own.update(look_at=now + REST)
                break
        else:
            failed = 0
    return looked


def _claim(hit: HIT, *, now: datetime) -> bool:
    """Claim a look by compare and swap on its moment: a HIT brought forward meanwhile stays so."""
    claimed = HIT.objects.filter(pk=hit.pk, status=HIT.Status.OPEN, look_at=hit.look_at)
    if not claimed.update(look_at=now + RETRY):
        return False
    hit.look_at = now + RETRY
    return True


def _wants_reading(hit: HIT, found: ProviderHIT, *, now: datetime) -> bool:
    """Whether to read the HIT's work: its counters have changed, it is over, or begun work is overdue."""
    if found.is_over:
        return True
    if fingerprint(found) != hit.seen and not is_untouched(found):
        return True
    return hit.assignments.filter(status__in=UNSETTLED, deadline_at__lte=now - GRACE).exists()


def _keep_terms(hit: HIT, found: ProviderHIT) -> None:
    """Take over more time, fewer places, and more places unless we are asking for them at this moment."""
    row = HIT.objects.filter(pk=hit.pk)
    if found.expires_at and (hit.expires_at is None or found.expires_at > hit.expires_at):
        row.filter(expires_at=hit.expires_at).update(expires_at=found.expires_at)
        hit.expires_at = found.expires_at
    asking = Change.objects.filter(hit=hit, kind=Change.Kind.ADD, status=Change.Status.INTENDED)
    fewer = found.max_assignments < hit.max_assignments
    if fewer or (found.max_assignments > hit.max_assignments and not asking.exists()):
        row.filter(max_assignments=hit.max_assignments).update(max_assignments=found.max_assignments)
        mark_stale(hit.batch_id)


def _schedule(hit: HIT, *, seen: str, now: datetime) -> None:
    """Schedule the next look, unless one was set meanwhile. The lock lets no page open in between."""
    with transaction.atomic():
        row = HIT.objects.select_for_update(no_key=True).get(pk=hit.pk)
        next_at = _next_look(hit, now=now) if row.look_at == hit.look_at else row.look_at
        HIT.objects.filter(pk=hit.pk).update(seen=seen, reconciled_at=now, look_at=next_at)


def _next_look(hit: HIT, *, now: datetime) -> datetime:
    work = hit.assignments.filter(status__in=UNSETTLED).aggregate(
        saved=Max("saved_at", filter=Q(status=Status.SAVED)),
        deadline=Min("deadline_at", filter=Q(deadline_at__gt=now - GRACE)),
    )
    moments = [now + QUIET]
    if work["saved"]:
        moments.append(now + min(max(now - work["saved"], SOONEST), LATEST))
    if work["deadline"]:
        moments.append(work["deadline"] + GRACE)
    if hit.expires_at and hit.expires_at > now:
        moments.append(hit.expires_at + timedelta(seconds=1))
    return min(moments)


def _close(hit: HIT, *, seen: str, now: datetime, problem: str = "") -> bool:
    """Close the HIT and end begun work that its complete list lacks. False if something came up meanwhile."""
    with transaction.atomic():
        if HIT.objects.select_for_update(no_key=True).get(pk=hit.pk).look_at != hit.look_at:
            return False
        end: dict[str, Any] = {"seen": seen, "problem": problem, "look_at": None}
        if not move(hit, HIT.Status.CLOSED, closed_at=now, reconciled_at=now, **end):
            return False
        begun = hit.assignments.filter(status__in=UNSETTLED, opened_at__lte=now)
        end_attempts(begun.order_by("pk"), now=now)
        mark_stale(hit.batch_id)
    log.info("hit.closed", hit=str(hit.public_id))
    return True

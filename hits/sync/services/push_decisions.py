"""Sending of decisions to the provider. Each call may be repeated: the gateway makes it idempotent.

Order of locks: decision, assignment, items; the batch is marked last, as everywhere.
"""

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from hits import families
from hits.common.sweep_parts import in_parts
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.core.states import move
from hits.providers.gateway.interface import Provider, ProviderAssignment
from hits.providers.services.usable_accounts import earliest, earliest_or_now, soonest, usable
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.sync.work_links import feedback_on
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from hits.work.services.locking import lock_items

# Two senders of one decision decide once; the claim only avoids the second call, and ends undoing.
CLAIM = timedelta(seconds=20)
# Decisions of each account in one run, so that all accounts get their turn.
SLICE = 200
# Work that the provider refuses to approve is asked about again: as long again as it has waited since it was
# judged, between these two.
SOONEST, LATEST = timedelta(minutes=1), timedelta(hours=1)
Status = Assignment.Status
Kind = Decision.Kind
ON_ITS_WAY = (Decision.Status.WAITING, Decision.Status.INTENDED)
log = structlog.get_logger()


def send_decisions(*, now: datetime) -> int:
    """Send decisions that can no longer be undone, and repeat those whose outcome is unknown."""
    _end_overtaken(now=now)
    due = _intended().filter(_is_free(now), send_at__lte=now)
    return in_parts(
        usable(due.values("assignment__account")),
        lambda one: _send_turn(due.filter(assignment__account=one[0]), one[1], now=now),
    )


def _send_turn(due: QuerySet[Decision], provider: Provider, *, now: datetime) -> int:
    sent = 0
    for decision in due.select_related("assignment__hit").order_by("send_at")[:SLICE]:
        try:
            sent += send_decision(decision=decision, provider=provider, now=now)
        except ProviderUnavailable as error:
            log.warning("decision.outcome_unknown", assignment=_name(decision.assignment), error=str(error))
            break  # the account's other decisions would wait for the same answer
    return sent


def next_decision(*, now: datetime) -> datetime | None:
    """Return when the next decision can no longer be undone, or the claim on one ends."""
    return soonest(
        earliest(_intended().filter(claimed_at=None), "send_at", account="assignment__account"),
        earliest(_intended(), "claimed_at", account="assignment__account", after=CLAIM),
    )


def send_decision(*, decision: Decision, provider: Provider, now: datetime) -> bool:
    """Send a decision; True if this call ended it. Raises ProviderUnavailable, and it stays on its way."""
    if not _intended().filter(_is_free(now), pk=decision.pk).update(claimed_at=now):
        return False
    try:
        _tell(decision, provider)
    except ProviderRefused as refusal:
        return _refused(decision, refusal, provider=provider, now=now)
    return _settle(decision, now=now)


def approve_judged(*, now: datetime) -> int:
    """Approve judged work of batches without review by hand, never against a decision that is on its way."""
    judged = _approvable().filter(Q(approve_at=None) | Q(approve_at__lte=now))
    return in_parts(
        usable(judged.values("account")),
        lambda one: _approve_turn(judged.filter(account=one[0]), one[1], now=now),
    )


def next_approval(*, now: datetime) -> datetime | None:
    """Return when the provider is asked again to approve work that it refused to approve."""
    return earliest_or_now(_approvable(), "approve_at", account="account", now=now)


def _approvable() -> QuerySet[Assignment]:
    deciding = Decision.objects.filter(assignment=OuterRef("pk"), status__in=ON_ITS_WAY)
    later = Q(answer__isnull=False, hit__batch__task__in=families.judged_later())
    ripe = Q(judged_at__isnull=False) | later
    return Assignment.objects.filter(
        ripe,
        ~Exists(deciding),
        status=Status.SUBMITTED,
        hit__batch__review_by=Batch.Review.AUTO,
    )


def _approve_turn(judged: QuerySet[Assignment], provider: Provider, *, now: datetime) -> int:
    approved = 0
    for assignment in judged.select_related("hit").order_by("pk")[:SLICE]:
        if not judged.filter(pk=assignment.pk).exists():
            continue  # somebody has decided on it since the turn began
        try:
            approved += approve_assignment(assignment=assignment, provider=provider, now=now)
        except ProviderUnavailable as error:
            log.warning("assignment.approve_failed", assignment=_name(assignment), error=str(error))
            break
    return approved


def approve_assignment(*, assignment: Assignment, provider: Provider, now: datetime) -> bool:
    """Approve work at the provider, then here. Raises ProviderUnavailable; repeating approves once."""
    try:
        provider.approve_assignment(assignment.external_id, feedback=feedback_on(assignment))
    except ProviderRefused as refusal:
        log.warning("assignment.approve_refused", assignment=_name(assignment), code=refusal.code)
        found = provider_word(assignment, provider)
        if not (found and mirror(assignment, found, now=now)):
            _put_off(assignment, refusal, now=now)
        return False
    with transaction.atomic():
        moved = move(assignment, Status.APPROVED, since=[Status.SUBMITTED], approved_at=now, problem="")
        mark_stale(assignment.hit.batch_id)
    return moved


def _put_off(assignment: Assignment, refusal: ProviderRefused, *, now: datetime) -> None:
    """Ask again later; a reviewer reads the refusal. Out of funds it is soon: money may come any time."""
    waited = now - (assignment.judged_at or now)
    pause = SOONEST if refusal.out_of_funds else min(max(waited, SOONEST), LATEST)
    still = Assignment.objects.filter(pk=assignment.pk, status=Status.SUBMITTED)
    still.update(approve_at=now + pause, problem=str(refusal))


def provider_word(assignment: Assignment, provider: Provider) -> ProviderAssignment | None:
    """Return the provider's state of the work, or None if it refuses: the HIT was deleted there."""
    try:
        return provider.get_assignment(assignment.external_id)
    except ProviderRefused:
        return None


def mirror(assignment: Assignment, found: ProviderAssignment, *, now: datetime) -> bool:
    """Record a decision that was made at the provider without us."""
    with transaction.atomic():
        if found.status == "Approved":
            moved = move(assignment, Status.APPROVED, approved_at=found.approved_at or now)
        elif found.status == "Rejected":
            moved = move(assignment, Status.REJECTED, rejected_at=found.rejected_at or now)
            if moved:
                leasing.release_items(assignment, now=now)
        else:
            return False
        mark_stale(assignment.hit.batch_id)
    return moved


def put_back(assignment: Assignment, *, now: datetime) -> int:
    """Count the answer of an overridden rejection again for items that no other worker was asked since."""
    back = 0
    counted = assignment.leases.exclude(status=Lease.Status.ATTENTION)
    items = counted.values_list("item_id", flat=True)
    lock_items(set(items))
    Item.objects.filter(pk__in=items).update(recount=True)
    for lease in assignment.leases.filter(status=Lease.Status.RELEASED).order_by("item"):
        again = Lease.objects.filter(item=lease.item_id, worker=lease.worker_id)
        if again.exclude(status=Lease.Status.RELEASED).exists():
            continue
        if Item.objects.filter(pk=lease.item_id, wanted__gt=0).update(wanted=F("wanted") - 1):
            lease.status, lease.ended_at = Lease.Status.ANSWERED, now
            lease.save(update_fields=["status", "ended_at"])
            back += 1
    return back


def _tell(decision: Decision, provider: Provider) -> None:
    work = decision.assignment
    feedback = feedback_on(work, decision.reason)
    if decision.kind == Kind.REJECT:
        provider.reject_assignment(work.external_id, feedback=feedback, category=decision.category)
    elif work.status != Status.APPROVED:  # what approved itself is only kept out of the data
        override = decision.kind == Kind.OVERRIDE
        provider.approve_assignment(work.external_id, feedback=feedback, override=override)


def _settle(decision: Decision, *, now: datetime) -> bool:
    """End a decision and do all that follows from it, once, even if its state was already mirrored."""
    work = decision.assignment
    with transaction.atomic():
        if not move(decision, Decision.Status.DONE, ended_at=now):
            return False
        if decision.kind == Kind.REJECT:
            move(work, Status.REJECTED, rejected_at=now)
            leasing.release_items(work, now=now)
        else:
            move(work, Status.APPROVED, approved_at=now)
        if decision.kind == Kind.KEEP_OUT:
            leasing.keep_out(work, now=now)
        if decision.kind == Kind.OVERRIDE and work.answer is not None:
            put_back(work, now=now)
        mark_stale(work.hit.batch_id)
    log.info("decision.sent", assignment=_name(work), kind=decision.kind)
    return True


def _refused(decision: Decision, refusal: ProviderRefused, *, provider: Provider, now: datetime) -> bool:
    """End a refused decision. Mostly the work was decided there meanwhile: then that is recorded here."""
    work = decision.assignment
    found = provider_word(work, provider)
    words = f"The provider refused: {refusal}"
    overtaken = found is not None and found.status != "Submitted"
    if found and overtaken:
        words = f"At the provider the work is {found.status.lower()} already, by itself or by somebody else."
    with transaction.atomic():
        ended = move(decision, Decision.Status.REFUSED, ended_at=now, problem=words)
        if found and overtaken:
            mirror(work, found, now=now)
    log.warning("decision.refused", assignment=_name(work), kind=decision.kind, code=refusal.code)
    return ended


def _end_overtaken(*, now: datetime) -> None:
    """End rejections that nobody seconded before their work was decided at the provider."""
    late = Decision.objects.filter(status=Decision.Status.WAITING).exclude(
        assignment__status=Status.SUBMITTED
    )
    for decision in late[:SLICE]:
        words = "Nobody seconded it before the work was approved at the provider."
        move(decision, Decision.Status.UNDONE, since=ON_ITS_WAY[:1], ended_at=now, problem=words)


def _intended() -> QuerySet[Decision]:
    return Decision.objects.filter(status=Decision.Status.INTENDED)


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _name(assignment: Assignment) -> str:
    return str(assignment.public_id)

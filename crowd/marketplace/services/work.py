"""The life of a HIT and of an assignment. Lock order: HIT, then assignment, then requester."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from json import dumps
from typing import Any

from django.db.models import F, Max
from django.utils.translation import gettext as _

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, wrong_state
from crowd.marketplace.models import HIT, Assignment, BonusPayment, HITType, Requester, Worker
from crowd.marketplace.questions import ExternalQuestion
from crowd.marketplace.services import money

Status = Assignment.Status
OVERRIDE_LIFE = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What makes two HITs the same type."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    assignment_duration_s: int
    auto_approval_delay_s: int
    requirements: Sequence[Mapping[str, Any]]

    @property
    def digest(self) -> str:
        values = [*(str(value) for key, value in vars(self).items() if key != "requirements")]
        return sha256(dumps([values, list(self.requirements)], sort_keys=True).encode()).hexdigest()


class NotAvailable(Exception):
    """The worker cannot have this HIT now; the message is for the worker."""


def create_hit(
    *,
    requester: Requester,
    terms: Terms,
    question: ExternalQuestion,
    max_assignments: int,
    lifetime: timedelta,
    annotation: str,
    now: datetime,
) -> HIT:
    hit_type, _ = HITType.objects.get_or_create(
        requester=requester, digest=terms.digest, defaults=vars(terms)
    )
    fee = requester.fees.on_reward(terms.reward, max_assignments=max_assignments)
    hit = HIT.objects.create(
        requester=requester,
        hit_type=hit_type,
        question=question.xml,
        external_url=question.url,
        frame_height=question.frame_height,
        annotation=annotation,
        max_assignments=max_assignments,
        fee=fee,
        created_at=now,
        expires_at=now + lifetime,
    )
    money.hold(
        requester_id=requester.pk,
        amount=max_assignments * (terms.reward + fee),
        subject=hit.external_id,
        now=now,
    )
    return hit


def expire_hit(*, hit: HIT, now: datetime) -> None:
    """Nobody new may start; whoever accepted may submit until the own deadline."""
    with atomic():
        HIT.objects.filter(pk=hit.pk, expires_at__gt=now).update(expires_at=now)
        _close_if_over(_lock_hit(hit.pk), now=now)


def accept_hit(*, hit_id: int, worker: Worker, now: datetime) -> Assignment:
    """The worker's open assignment of this HIT, made now unless there is one already (a double click)."""
    with atomic():
        hit = _lock_hit(hit_id)
        earlier = Assignment.objects.filter(hit=hit, worker=worker)
        if held := earlier.filter(status__in=Assignment.HOLDING).first():
            if held.status == Status.ACCEPTED:
                return held
            raise NotAvailable(_("You have already done this HIT."))
        if hit.closed_at or hit.expires_at <= now:
            raise NotAvailable(_("This HIT has expired."))
        if hit.counts.available < 1:
            raise NotAvailable(_("Other workers have taken every place in this HIT."))
        HIT.objects.filter(pk=hit.pk).update(pending=F("pending") + 1)
        return Assignment.objects.create(
            hit=hit,
            worker=worker,
            attempt=(earlier.aggregate(last=Max("attempt"))["last"] or 0) + 1,
            accepted_at=now,
            deadline_at=now + timedelta(seconds=hit.hit_type.assignment_duration_s),
        )


def return_assignment(*, assignment: Assignment, now: datetime) -> bool:
    return _give_up(assignment_id=assignment.pk, status=Status.RETURNED, now=now)


def submit_assignment(*, assignment: Assignment, answer: str, now: datetime) -> bool:
    """True if this call submitted it; False if it was no longer open (second click, deadline)."""
    with atomic():
        hit = _lock_hit(assignment.hit_id)
        delay = timedelta(seconds=hit.hit_type.auto_approval_delay_s)
        moved = Assignment.objects.filter(
            pk=assignment.pk, status=Status.ACCEPTED, deadline_at__gt=now
        ).update(status=Status.SUBMITTED, submitted_at=now, auto_approval_at=now + delay, answer=answer)
        if not moved:
            return False
        HIT.objects.filter(pk=hit.pk).update(pending=F("pending") - 1, submitted=F("submitted") + 1)
        if not delay:
            approve_assignment(assignment=assignment, feedback="", override=False, now=now)
        hit.refresh_from_db()
        _close_if_over(hit, now=now)
    return True


def approve_assignment(*, assignment: Assignment, feedback: str, override: bool, now: datetime) -> None:
    """Pays the reward out of what was held. A rejection holds nothing any more, so an override holds anew."""
    with atomic():
        hit = _lock_hit(assignment.hit_id)
        row = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        allowed = {Status.SUBMITTED} | ({Status.REJECTED} if override else set())
        if row.status not in allowed:
            raise wrong_state("Assignment", allowed=", ".join(sorted(allowed)))
        if row.status == Status.REJECTED and row.submitted_at and now > row.submitted_at + OVERRIDE_LIFE:
            raise RequestError("A rejection can be overridden for 30 days.", code="InvalidAssignmentState")
        reward = hit.hit_type.reward
        if row.status == Status.REJECTED:
            money.hold(
                requester_id=hit.requester_id,
                amount=reward + hit.fee,
                subject=row.external_id,
                now=now,
            )
        _review(row, status=Status.APPROVED, feedback=feedback, now=now)
        money.settle_reward(
            requester_id=hit.requester_id,
            reward=reward,
            fee=hit.fee,
            subject=row.external_id,
            now=now,
        )


def reject_assignment(*, assignment: Assignment, feedback: str, now: datetime) -> None:
    with atomic():
        hit = _lock_hit(assignment.hit_id)
        row = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        if row.status != Status.SUBMITTED:
            raise wrong_state("Assignment", allowed=Status.SUBMITTED)
        _review(row, status=Status.REJECTED, feedback=feedback, now=now)
        money.release(
            requester_id=hit.requester_id,
            amount=hit.hit_type.reward + hit.fee,
            subject=row.external_id,
            now=now,
        )


def pay_bonus(
    *, requester: Requester, assignment: Assignment, amount: Decimal, reason: str, now: datetime
) -> BonusPayment:
    money.spend_bonus(
        requester_id=requester.pk,
        bonus=amount,
        fee=requester.fees.on_bonus(amount),
        subject=assignment.external_id,
        now=now,
    )
    return BonusPayment.objects.create(
        assignment=assignment,
        worker_id=assignment.worker_id,
        amount=amount,
        reason=reason,
        granted_at=now,
    )


def settle(*, now: datetime) -> None:
    """What the clock alone has decided: overdue work, due approvals, expired HITs. Three indexed look-ups."""
    for overdue in Assignment.objects.filter(status=Status.ACCEPTED, deadline_at__lte=now):
        _give_up(assignment_id=overdue.pk, status=Status.ABANDONED, now=now)
    for due in Assignment.objects.filter(status=Status.SUBMITTED, auto_approval_at__lte=now):
        try:
            approve_assignment(assignment=due, feedback="", override=False, now=due.auto_approval_at or now)
        except RequestError:  # Somebody else reviewed it between the look-up and the lock.
            continue
    for hit in HIT.objects.filter(closed_at=None, expires_at__lte=now):
        expire_hit(hit=hit, now=now)


def _lock_hit(hit_id: int) -> HIT:
    """No key is ever changed, and a weaker lock lets rows that point here be written meanwhile."""
    locked = HIT.objects.select_for_update(of=("self",), no_key=True)
    return locked.select_related("hit_type").get(pk=hit_id)


def _review(row: Assignment, *, status: Status, feedback: str, now: datetime) -> None:
    counter_from = row.status.lower()
    row.status = status
    row.feedback = feedback
    if status == Status.APPROVED:
        row.approved_at = now
    else:
        row.rejected_at = now
    row.save(update_fields=["status", "feedback", "approved_at", "rejected_at"])
    counter_to = status.lower()
    HIT.objects.filter(pk=row.hit_id).update(
        **{counter_from: F(counter_from) - 1, counter_to: F(counter_to) + 1}
    )


def _give_up(*, assignment_id: int, status: Status, now: datetime) -> bool:
    """Frees the place. What was held for it goes back only if the HIT has closed meanwhile."""
    with atomic():
        hit_id = Assignment.objects.values_list("hit_id", flat=True).get(pk=assignment_id)
        hit = _lock_hit(hit_id)
        open_work = Assignment.objects.filter(pk=assignment_id, status=Status.ACCEPTED)
        if status == Status.RETURNED:
            open_work = open_work.filter(deadline_at__gt=now)
        moved = open_work.update(status=status)
        if not moved:
            return False
        HIT.objects.filter(pk=hit.pk).update(pending=F("pending") - 1)
        if hit.closed_at:
            _release_places(hit, places=1, now=now)
    return True


def _close_if_over(hit: HIT, *, now: datetime) -> None:
    """Expired, or every assignment done: it leaves the index of open HITs, and unused money is free again."""
    all_done = hit.counts.done == hit.max_assignments
    if hit.closed_at or not (all_done or hit.expires_at <= now):
        return
    HIT.objects.filter(pk=hit.pk).update(closed_at=now)
    _release_places(hit, places=hit.counts.available, now=now)


def _release_places(hit: HIT, *, places: int, now: datetime) -> None:
    if places:
        money.release(
            requester_id=hit.requester_id,
            amount=places * (hit.hit_type.reward + hit.fee),
            subject=hit.external_id,
            now=now,
        )

"""The effects of a review. Lock order: HIT, assignment, requester, worker, HIT type."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import F

from crowd.marketplace import domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, wrong_state
from crowd.marketplace.models import HIT, Assignment, BonusPayment, HITType
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services import events, hit_creation, money

Status = Assignment.Status
OVERRIDE_LIFE = timedelta(days=30)
LONGEST_FEEDBACK = 1024
FEEDBACK_RULE = f"at most {LONGEST_FEEDBACK} characters, no control characters."


def is_feedback(text: str) -> bool:
    return len(text) <= LONGEST_FEEDBACK and not any(c < " " and c not in "\t\r\n" for c in text)


def approve_assignment(*, assignment: Assignment, feedback: str, override: bool, now: datetime) -> None:
    """Pay the reward out of the held money. A rejection released it, so an override holds it again."""
    with atomic():
        hit = hit_creation.lock_hit(assignment.hit_id)
        row = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        allowed = {Status.SUBMITTED} | ({Status.REJECTED} if override else set())
        if row.status not in allowed:
            raise wrong_state("Assignment", allowed=", ".join(sorted(allowed)))
        if row.status == Status.REJECTED:
            _hold_for_override(hit, row, now=now)
        was = _mark(hit, row, status=Status.APPROVED, feedback=feedback, now=now)
        money.settle_reward(
            requester_id=hit.requester_id,
            worker_id=row.worker_id,
            reward=hit.hit_type.reward,
            fee=hit.fee,
            subject=row.external_id,
            now=now,
        )
        _count_and_tell(hit, row, was=was, now=now)
        _keep_time(hit, row)


def reject_assignment(*, assignment: Assignment, feedback: str, now: datetime) -> None:
    with atomic():
        hit = hit_creation.lock_hit(assignment.hit_id)
        row = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        if row.status != Status.SUBMITTED:
            raise wrong_state("Assignment", allowed=Status.SUBMITTED)
        was = _mark(hit, row, status=Status.REJECTED, feedback=feedback, now=now)
        money.release(
            requester_id=hit.requester_id,
            amount=hit.hit_type.reward + hit.fee,
            subject=row.external_id,
            now=now,
        )
        _count_and_tell(hit, row, was=was, now=now)


def approvable_until(assignment: Assignment, *, now: datetime) -> datetime | None:
    """Until when the requester can approve this work, if it was rejected and it is not too late."""
    hit = assignment.hit
    if assignment.status != Status.REJECTED or not assignment.submitted_at:
        return None
    until = assignment.submitted_at + OVERRIDE_LIFE
    return until if now <= until and not hit.disposed_at and not hit.requester.closed_at else None


def pay_bonus(
    *, requester: Requester, assignment: Assignment, amount: Decimal, reason: str, now: datetime
) -> BonusPayment:
    """Pay a bonus and record it. Callers hold the transaction. Raises InsufficientFunds."""
    money.spend_bonus(
        requester_id=requester.pk,
        worker_id=assignment.worker_id,
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


def _hold_for_override(hit: HIT, row: Assignment, *, now: datetime) -> None:
    """Hold the money again. Raises RequestError if it is too late, the HIT is deleted or money is lacking."""
    if hit.disposed_at:
        raise RequestError("The HIT of this assignment has been deleted.", code="InvalidAssignmentState")
    if row.submitted_at and now > row.submitted_at + OVERRIDE_LIFE:
        raise RequestError("A rejection can be overridden for 30 days.", code="InvalidAssignmentState")
    money.hold(
        requester_id=hit.requester_id, amount=hit.hit_type.reward + hit.fee, subject=row.external_id, now=now
    )


def _mark(hit: HIT, row: Assignment, *, status: Status, feedback: str, now: datetime) -> str:
    """Move the assignment and its HIT's counters, both locked. Returns the earlier status."""
    was = row.status
    row.status = status
    row.feedback = feedback
    if status == Status.APPROVED:
        row.approved_at = now
    else:
        row.rejected_at = now
    row.save(update_fields=["status", "feedback", "approved_at", "rejected_at"])
    moved = {was.lower(): F(was.lower()) - 1, status.lower(): F(status.lower()) + 1}
    HIT.objects.filter(pk=hit.pk).update(**moved)
    return was


def _keep_time(hit: HIT, row: Assignment) -> None:
    """Keep the time that approved work took, after all other locks; older times make room."""
    if not row.submitted_at:
        return
    took = max(1, round((row.submitted_at - row.accepted_at).total_seconds()))
    hit_type = HITType.objects.select_for_update(no_key=True).get(pk=hit.hit_type_id)
    hit_type.work_times_s = [*hit_type.work_times_s, took][-domain.KEPT_TIMES :]
    hit_type.save(update_fields=["work_times_s"])


def _count_and_tell(hit: HIT, row: Assignment, *, was: str, now: datetime) -> None:
    """Count the review in the worker's record, after the money: requesters are locked before workers."""
    record = {row.status.lower(): F(row.status.lower()) + 1}
    if was == Status.REJECTED:
        record["rejected"] = F("rejected") - 1
    Worker.objects.filter(pk=row.worker_id).update(**record)
    events.record(hit=hit, event_type=f"Assignment{row.status}", assignment=row, now=now)

"""A worker opens a HIT, is leased items, and saves an answer. Nothing here is payable yet."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils.translation import gettext as _

from hits import families
from hits.domain import is_same_moment
from hits.errors import RuleBroken
from hits.families.interface import Answer
from hits.models import HIT, Assignment, Batch, Item, Lease, Worker
from hits.states import move

Status = Assignment.Status
# How long we still wait, after the deadline, for the provider's word that it was handed in.
GRACE = timedelta(minutes=2)


def open_assignment(
    *,
    hit: HIT,
    worker: Worker,
    external_id: str,
    accepted_at: datetime | None,
    deadline_at: datetime,
    now: datetime,
) -> Assignment:
    """The row of this attempt: the one there is, or a new one. Nothing is leased here."""
    attempts = Assignment.objects.filter(account=hit.batch.account, external_id=external_id, worker=worker)
    with transaction.atomic():
        # The HIT's row stands for all its assignments: two loads at once make one attempt.
        HIT.objects.select_for_update().get(pk=hit.pk)
        latest = attempts.order_by("-attempt").first()
        if latest and is_same_moment(latest.accepted_at, accepted_at):
            return latest
        if not accepted_at:
            _refuse_surplus(hit)
        return Assignment.objects.create(
            account=hit.batch.account,
            hit=hit,
            worker=worker,
            external_id=external_id,
            attempt=(latest.attempt if latest else 0) + 1,
            accepted_at=accepted_at,
            deadline_at=deadline_at,
            opened_at=now,
        )


def lease_items(*, assignment: Assignment, now: datetime) -> list[Item]:
    """What this worker is to judge: never their own, never twice. The same again on a reload."""
    batch = assignment.hit.batch
    with transaction.atomic():
        # The worker's row: two tabs of one worker must not be leased one item twice.
        Worker.objects.select_for_update().get(pk=assignment.worker_id)
        held = items_of(assignment)
        if held or assignment.status != Status.OPENED:
            return held
        for item in _eligible(assignment)[: batch.items_per_assignment]:
            if Item.objects.filter(pk=item.pk, wanted__gt=0).update(wanted=F("wanted") - 1):
                Lease.objects.create(
                    item=item,
                    assignment=assignment,
                    worker_id=assignment.worker_id,
                    author_id=item.author_id,
                    leased_at=now,
                )
        return items_of(assignment)


def items_of(assignment: Assignment) -> list[Item]:
    """What was served, in the order it was leased."""
    leases = assignment.leases.exclude(status=Lease.Status.RELEASED).select_related("item")
    return [lease.item for lease in leases.order_by("pk")]


def save_answer(*, assignment: Assignment, answer: Answer, now: datetime) -> None:
    """Once. Raises RuleBroken for a second answer or after the deadline, and nothing changes."""
    with transaction.atomic():
        if now >= assignment.deadline_at:
            raise RuleBroken("deadline", _("The time for this HIT is over. Its place has been given back."))
        if not move(assignment, Status.SAVED, answer=answer, saved_at=now):
            raise RuleBroken("already_saved", _("Your answer is saved already. It cannot be changed."))
        end_leases(assignment, status=Lease.Status.ANSWERED, now=now)


def release_overdue(*, now: datetime) -> int:
    """Gives back the items of work whose deadline and grace have passed without the provider's evidence."""
    overdue = Assignment.objects.filter(status__in=(Status.OPENED, Status.SAVED), deadline_at__lt=now - GRACE)
    return sum(_release(assignment, now=now) for assignment in overdue)


def end_leases(assignment: Assignment, *, status: Lease.Status, now: datetime) -> None:
    assignment.leases.filter(status=Lease.Status.LEASED).update(status=status, ended_at=now)


def _release(assignment: Assignment, *, now: datetime) -> bool:
    with transaction.atomic():
        if not move(assignment, Status.GONE):
            return False
        held = assignment.leases.exclude(status=Lease.Status.RELEASED)
        Item.objects.filter(pk__in=held.values("item")).update(wanted=F("wanted") + 1)
        held.update(status=Lease.Status.RELEASED, ended_at=now)
    return True


def _eligible(assignment: Assignment) -> QuerySet[Item]:
    """Oldest first: items get finished, and none starves."""
    batch = assignment.hit.batch
    seen = Lease.objects.filter(item=OuterRef("pk"), worker=assignment.worker_id).exclude(
        status=Lease.Status.RELEASED
    )
    return (
        Item.objects.filter(~Exists(seen), study=batch.study_id, task=batch.task, wanted__gt=0)
        .exclude(author=assignment.worker_id)
        .order_by("pk")
        .select_for_update(of=("self",))
    )


def _refuse_surplus(hit: HIT) -> None:
    """Without a ticket anybody may claim to work; so never more than the HIT has places."""
    live = hit.assignments.exclude(status=Status.GONE).count()
    if live >= hit.batch.assignments_per_hit:
        raise RuleBroken("no_place", _("Every place of this HIT is taken. Please return it."))


def family_of_batch(batch: Batch) -> families.TaskFamily:
    return families.get(batch.task)

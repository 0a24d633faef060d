"""A worker opens a HIT, is leased items, and saves an answer. Nothing here is payable yet."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
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
        known = latest and is_same_moment(latest.accepted_at, accepted_at)
        if latest and known and (accepted_at or latest.status != Status.GONE):
            return latest
        if accepted_at:
            _give_up_earlier(hit, worker=worker, now=now)
        else:
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
        assignment.refresh_from_db(fields=["status"])
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


def items_served(assignment: Assignment) -> list[Item]:
    """The same, and what was given back since: an answer that comes late is still an answer to these."""
    leases = assignment.leases.select_related("item").order_by("pk")
    return list(dict.fromkeys(lease.item for lease in leases))


def save_answer(*, assignment: Assignment, answer: Answer, now: datetime) -> None:
    """Once. Raises RuleBroken for a second answer or after the deadline, and nothing changes."""
    with transaction.atomic():
        if now >= assignment.deadline_at:
            raise RuleBroken("deadline", _("The time for this HIT is over. Its place has been given back."))
        if not move(assignment, Status.SAVED, answer=answer, saved_at=now):
            raise RuleBroken("already_saved", _("Your answer is saved already. It cannot be changed."))
        answer_leases(assignment, now=now)


def release_overdue(*, now: datetime) -> int:
    """Gives back the items of work whose time is over, once the provider's list, read since, lacks it."""
    read_since = Q(hit__reconciled_at__gt=F("deadline_at") + GRACE) | Q(hit__status=HIT.Status.CLOSED)
    overdue = Assignment.objects.filter(
        read_since, status__in=(Status.OPENED, Status.SAVED), deadline_at__lt=now - GRACE
    )
    return sum(give_up(assignment, now=now) for assignment in overdue)


def give_up(assignment: Assignment, *, now: datetime) -> bool:
    """Returned, abandoned, or accepted anew. History is kept."""
    with transaction.atomic():
        if not move(assignment, Status.GONE):
            return False
        release_items(assignment, now=now)
    return True


def release_items(assignment: Assignment, *, now: datetime) -> None:
    """What was leased is wanted again. The caller holds the transaction."""
    held = assignment.leases.exclude(status=Lease.Status.RELEASED)
    Item.objects.filter(pk__in=held.values("item")).update(wanted=F("wanted") + 1)
    held.update(status=Lease.Status.RELEASED, ended_at=now)


def answer_leases(assignment: Assignment, *, now: datetime) -> None:
    """The items of this answer are answered, even if the clock had given them back already."""
    for lease in assignment.leases.exclude(status=Lease.Status.ANSWERED).order_by("pk"):
        if lease.status == Lease.Status.RELEASED and not _take_back(lease):
            continue
        lease.status, lease.ended_at = Lease.Status.ANSWERED, now
        lease.save(update_fields=["status", "ended_at"])


def _take_back(lease: Lease) -> bool:
    """Not if this worker was handed the item again: that later answer is the one that counts."""
    again = Lease.objects.filter(item=lease.item_id, worker=lease.worker_id)
    if again.exclude(status=Lease.Status.RELEASED).exists():
        return False
    Item.objects.filter(pk=lease.item_id, wanted__gt=0).update(wanted=F("wanted") - 1)
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


def _give_up_earlier(hit: HIT, *, worker: Worker, now: datetime) -> None:
    """A ticket for a new acceptance says that this worker has returned the HIT before."""
    for earlier in hit.assignments.filter(worker=worker, status__in=(Status.OPENED, Status.SAVED)):
        give_up(earlier, now=now)


def _refuse_surplus(hit: HIT) -> None:
    """Without a ticket anybody may claim to work; so never more than the HIT has places."""
    live = hit.assignments.exclude(status=Status.GONE).count()
    if live >= hit.batch.assignments_per_hit:
        raise RuleBroken("no_place", _("Every place of this HIT is taken. Please return it."))


def family_of_batch(batch: Batch) -> families.TaskFamily:
    return families.get(batch.task)

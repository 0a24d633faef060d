"""Leasing: a worker opens a HIT, is leased items, and saves an answer. Nothing here is payable yet.

The batch is marked last, since other work of the batch waits until the mark is committed.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import CharField, Count, F, Q, QuerySet
from django.utils.translation import gettext as _

from hits import families
from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.common.kept_writes import insert
from hits.core import crypto
from hits.core.domain.sameness import is_same_moment
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.families.interface import Answer
from hits.identity.models.workers import Worker
from hits.providers.services.usable_accounts import earliest
from hits.studies.models import Batch
from hits.studies.services import mark_stale
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import batches_wanting, items_of_batch
from hits.work.services.heartbeats import count_last_stretch
from hits.work.services.locking import lock_assignment, lock_hit, lock_items
from hits.work.services.poll_schedule import look_by

Status = Assignment.Status
# Begun here; its outcome at the provider is not known yet.
UNSETTLED = (Status.OPENED, Status.SAVED)
# Wait after the deadline for the provider's report that the work was submitted.
GRACE = timedelta(minutes=2)
# Time that a browser needs to submit saved work to the provider.
HAND_OVER = timedelta(seconds=3)
# Assignments given up in one run.
SLICE = 500
HELD_WORKER = KeptQuery(lambda: Worker.objects.filter(pk=given_id("worker")).select_for_update().only("pk"))
EARLIER = KeptQuery(
    lambda: Assignment.objects.filter(
        hit=given_id("hit"), worker=given_id("worker"), status__in=UNSETTLED
    ).order_by("pk")
)
LATEST = KeptQuery(
    lambda: Assignment.objects.filter(
        account=given_id("account"),
        external_id=Given("assignment", CharField()),
        worker=given_id("worker"),
    ).order_by("-attempt")[:1]
)
LEASES = KeptQuery(
    lambda: Lease.objects.filter(assignment=given_id("assignment")).select_related("item").order_by("pk")
)


def open_assignment(
    *,
    hit: HIT,
    worker: Worker,
    external_id: str,
    accepted_at: datetime | None,
    deadline_at: datetime,
    now: datetime,
) -> Assignment:
    """Return the row of this attempt, the existing one or a new one. Leases nothing. Raises RuleBroken."""
    with transaction.atomic():
        # Two loads at once make one attempt.
        lock_hit(hit.pk)
        latest = LATEST.first(account=hit.batch.account_id, assignment=external_id, worker=worker.pk)
        known = latest and is_same_moment(latest.accepted_at, accepted_at)
        if latest and known and (accepted_at or latest.status != Status.GONE):
            return latest
        if accepted_at:
            _give_up_earlier(hit, worker=worker, now=now)
        else:
            _refuse_surplus(hit)
        look_by(hit_id=hit.pk, at=deadline_at + GRACE)
        opened = Assignment(
            account=hit.batch.account,
            hit=hit,
            worker=worker,
            external_id=external_id,
            attempt=(latest.attempt if latest else 0) + 1,
            accepted_at=accepted_at,
            deadline_at=deadline_at,
            opened_at=now,
        )
        insert(opened)
        mark_stale(hit.batch_id)
    return opened


def lease_items(*, assignment: Assignment, now: datetime) -> list[Item]:
    """Lease items: never the worker's own, never one twice. Idempotent: a reload returns the same."""
    batch = assignment.hit.batch
    with transaction.atomic():
        # The worker's row: two tabs of one worker must not be leased one item twice.
        HELD_WORKER.rows(worker=assignment.worker_id)
        # The assignment's row too: giving it up at this moment must also release what is leased here.
        assignment.status = lock_assignment(assignment.pk)
        held = items_of(assignment)
        if held or assignment.status != Status.OPENED:
            return held
        # First, so that the task's own rules know of them when they choose the others.
        attention = _lease_attention(assignment, now=now)
        most = batch.items_per_assignment - attention
        return _lease(_choose(batch, worker=assignment.worker, most=most), assignment=assignment, now=now)


def _lease_attention(assignment: Assignment, *, now: datetime) -> int:
    """Lease attention items for the places drawn for them, if anything else is asked; return how many."""
    batch, worker = assignment.hit.batch, assignment.worker
    places = _places_drawn(assignment)
    if not places or not items_open_to(batch=batch, worker_id=worker.pk).exists():
        return 0
    keys = attention_items(batch=batch, worker_id=worker.pk).values_list("pk", "author")
    drawn = sorted(keys, key=lambda one: _lot(one[0], worker))[:places]
    Lease.objects.bulk_create(
        Lease(
            item_id=item,
            assignment=assignment,
            worker=worker,
            author_id=author,
            status=Lease.Status.ATTENTION,
            leased_at=now,
        )
        for item, author in drawn
    )
    return len(drawn)


def _places_drawn(assignment: Assignment) -> int:
    """Number of places of the page for attention items, drawn for each place: nobody knows which page."""
    batch, of = assignment.hit.batch, str(assignment.public_id)
    lots = (crypto.blind_index("attention", of, str(place)) for place in range(batch.items_per_assignment))
    return sum(int(lot, 16) % 100 < batch.attention_rate for lot in lots) if batch.attention_rate else 0


def _lease(items: Sequence[Item], *, assignment: Assignment, now: datetime) -> list[Item]:
    """Lease locked items of which an answer is wanted."""
    Item.objects.filter(pk__in=[item.pk for item in items]).update(wanted=F("wanted") - 1)
    Lease.objects.bulk_create(
        Lease(
            item=item,
            assignment=assignment,
            worker_id=assignment.worker_id,
            author_id=item.author_id,
            leased_at=now,
        )
        for item in items
    )
    return items_of(assignment)


def _choose(batch: Batch, *, worker: Worker, most: int) -> list[Item]:
    eligible = items_open_to(batch=batch, worker_id=worker.pk)
    if families.is_test(batch.task):
        keys = _draw(eligible, worker=worker)
        eligible = eligible.filter(pk__in=keys[:most])
    return lock_items(eligible, most=most)


def _draw(eligible: QuerySet[Item], *, worker: Worker) -> list[int]:
    """Return keys in this worker's own order; items met before come last: there was time to think."""
    met = set(
        Lease.objects.filter(worker=worker, item__in=eligible.order_by()).values_list("item", flat=True)
    )
    keys = eligible.values_list("pk", flat=True)
    return sorted(keys, key=lambda key: (key in met, _lot(key, worker)))


def _lot(item_id: int, worker: Worker) -> str:
    return crypto.blind_index("draw", str(item_id), str(worker.public_id))


def items_of(assignment: Assignment) -> list[Item]:
    """Items that the assignment holds, in the order they were leased, unless it would tell of attention."""
    # Attention items are never released: nobody meets them again. An attempt that is over holds none.
    given_up = Lease.NO_ANSWER if assignment.status == Status.GONE else (Lease.Status.RELEASED,)
    held = [lease for lease in _leases(assignment) if lease.status not in given_up]
    if any(lease.status == Lease.Status.ATTENTION for lease in held):
        of = str(assignment.public_id)
        held.sort(key=lambda lease: crypto.blind_index("attention", of, str(lease.item.public_id)))
    return [lease.item for lease in held]


def items_served(assignment: Assignment) -> list[Item]:
    """Items ever leased to the assignment, released ones too: a late answer is still an answer to these."""
    return list(dict.fromkeys(lease.item for lease in _leases(assignment)))


def items_judged(assignment: Assignment) -> list[Item]:
    """Items served to the assignment whose answers may count: all but attention items."""
    counted = (lease for lease in _leases(assignment) if lease.status != Lease.Status.ATTENTION)
    return list(dict.fromkeys(lease.item for lease in counted))


def _leases(assignment: Assignment) -> list[Lease]:
    return LEASES.rows(assignment=assignment.pk)


def save_answer(*, assignment: Assignment, answer: Answer, now: datetime) -> None:
    """Save the answer once. Raises RuleBroken for a second one or after the deadline, with no change."""
    with transaction.atomic():
        if now >= assignment.deadline_at:
            raise RuleBroken("deadline", _("The time for this work is over. Its place has been given back."))
        look_by(hit_id=assignment.hit_id, at=now + HAND_OVER)
        count_last_stretch(assignment=assignment, now=now)
        if not move(assignment, Status.SAVED, answer=answer, saved_at=now):
            raise RuleBroken("already_saved", _("Your answer is saved already. It cannot be changed."))
        answer_leases(assignment, now=now)
        mark_stale(assignment.hit.batch_id)


def release_overdue(*, now: datetime) -> int:
    """Give up work whose time is over, once the provider's list, read since the deadline, lacks it.

    It relies on the look that is due at every deadline (hits.sync.services.reconciling).
    """
    overdue = _looked_for_in_vain().filter(deadline_at__lte=now - GRACE)
    oldest = overdue.select_related("hit").order_by("deadline_at")[:SLICE]
    return sum(give_up(assignment, now=now) for assignment in oldest)


def next_release() -> datetime | None:
    """Return when the next begun work that the provider's list lacks is given up."""
    return earliest(_looked_for_in_vain(), "deadline_at", after=GRACE)


def _looked_for_in_vain() -> QuerySet[Assignment]:
    read_since = Q(hit__reconciled_at__gte=F("deadline_at") + GRACE) | Q(hit__status=HIT.Status.CLOSED)
    return Assignment.objects.filter(read_since, status__in=UNSETTLED)


def give_up(assignment: Assignment, *, now: datetime) -> bool:
    """Give up an attempt that was returned, abandoned, or accepted again. History is kept."""
    with transaction.atomic():
        gone = end_attempt(assignment, now=now)
        if gone:
            mark_stale(assignment.hit.batch_id)
    return gone


def give_up_all(assignments: Iterable[Assignment], *, now: datetime) -> None:
    """Give up attempts in one transaction that marks each batch after all of them."""
    with transaction.atomic():
        gone = end_attempts(assignments, now=now)
        for batch_id in sorted({assignment.hit.batch_id for assignment in gone}):
            mark_stale(batch_id)


def end_attempt(assignment: Assignment, *, now: datetime) -> bool:
    """End an attempt. The caller holds the transaction, and marks the batch at its end."""
    if not move(assignment, Status.GONE):
        return False
    release_items(assignment, now=now)
    return True


def end_attempts(assignments: Iterable[Assignment], *, now: datetime) -> list[Assignment]:
    """End several attempts as `end_attempt` does, locking the items of all of them in one order."""
    gone = [assignment for assignment in assignments if move(assignment, Status.GONE)]
    held = Lease.objects.filter(assignment__in=gone).exclude(status__in=Lease.NO_ANSWER)
    lock_items(set(held.values_list("item_id", flat=True)))
    for assignment in gone:
        release_items(assignment, now=now)
    return gone


def keep_out(assignment: Assignment, *, now: datetime) -> bool:
    """Keep paid work out of the data, so that its items are asked again. False if it was out already."""
    with transaction.atomic():
        if not Assignment.objects.filter(pk=assignment.pk, kept_out=False).update(kept_out=True):
            return False
        release_items(assignment, now=now)
        mark_stale(assignment.hit.batch_id)
    assignment.kept_out = True
    return True


def release_items(assignment: Assignment, *, now: datetime) -> None:
    """Release the leases; items that then lack an answer need one again. The caller holds the transaction."""
    there = assignment.leases.exclude(status=Lease.Status.RELEASED)
    held = there.exclude(status=Lease.Status.ATTENTION)
    found = list(there.values_list("item_id", "status"))
    items = {item for item, status in found if status != Lease.Status.ATTENTION}
    if len(items) < len(found):
        there.filter(status=Lease.Status.ATTENTION, ended_at=None).update(ended_at=now)
    lock_items(items)
    if not items:
        return
    # A family that has counted an answer that is taken out now counts again.
    answered = held.filter(status=Lease.Status.ANSWERED)
    Item.objects.filter(pk__in=answered.values("item")).update(recount=True)
    held.update(status=Lease.Status.RELEASED, ended_at=now)
    enough = _with_enough(items)
    # Not every lease that is there brings an answer: the recount says how many are needed then.
    Item.objects.filter(pk__in=enough).update(recount=True)
    Item.objects.filter(pk__in=items - enough).update(wanted=F("wanted") + 1)


def _with_enough(items: Collection[int]) -> set[int]:
    """Items with enough answers, since a late one stands in for the one that is given up.

    Only items with no free place are counted: tests' items always have some, and tens of thousands of leases.
    """
    there = Count("leases", filter=~Q(leases__status__in=Lease.NO_ANSWER))
    full = Item.objects.filter(pk__in=items, wanted=0, answers_needed__gt=0).annotate(there=there)
    return set(full.filter(there__gte=F("answers_needed")).values_list("pk", flat=True))


def find_recounts(*, tasks: Collection[str], most: int, study_id: int | None = None) -> list[int]:
    """Items whose answers changed since they were counted. The caller takes them and counts again."""
    oldest = Item.objects.filter(task__in=tasks, recount=True).order_by("pk")
    oldest = oldest.filter(study=study_id) if study_id else oldest
    return list(oldest.values_list("pk", flat=True)[:most])


def take_recounts(items: Collection[int], *, along: Collection[int] = ()) -> list[int]:
    """Take the recounts that no other process has taken, and return their items.

    `along`: other items that the recount will change. A process that holds one of them is waited for: an item
    left here would be found again only much later.
    """
    lock_items({*items, *along})
    changed = Item.objects.filter(pk__in=items, recount=True)
    taken = list(changed.order_by("pk").values_list("pk", flat=True))
    Item.objects.filter(pk__in=taken).update(recount=False)
    return taken


def answer_leases(assignment: Assignment, *, now: datetime) -> None:
    """Mark the leases of this answer as answered, even those that the clock had released already."""
    leases = list(assignment.leases.exclude(status=Lease.Status.ANSWERED).order_by("item"))
    attention = [lease.pk for lease in leases if lease.status == Lease.Status.ATTENTION]
    if attention:
        Lease.objects.filter(pk__in=attention).update(ended_at=now)
        leases = [lease for lease in leases if lease.pk not in attention]
    lock_items({lease.item_id for lease in leases if lease.status == Lease.Status.RELEASED})
    there = [lease.pk for lease in leases if lease.status != Lease.Status.RELEASED or _take_back(lease)]
    Lease.objects.filter(pk__in=there).update(status=Lease.Status.ANSWERED, ended_at=now)


def _take_back(lease: Lease) -> bool:
    """Take a released lease back. False if this worker was leased the item again: the later answer counts."""
    again = Lease.objects.filter(item=lease.item_id, worker=lease.worker_id)
    if again.exclude(status=Lease.Status.RELEASED).exists():
        return False
    Item.objects.filter(pk=lease.item_id, wanted__gt=0).update(wanted=F("wanted") - 1)
    return True


def items_open_to(*, batch: Batch, worker_id: int) -> QuerySet[Item]:
    """Items that this worker may be asked, oldest first, so that items get finished and none starves."""
    return _narrowed(_new_to(batch=batch, worker_id=worker_id), batch=batch, worker_id=worker_id)


def attention_items(*, batch: Batch, worker_id: int) -> QuerySet[Item]:
    """Items with known answers, and all answers of their own, that this worker has never met."""
    met = Lease.objects.filter(worker=worker_id).values("item")
    known = items_of_batch(batch).filter(known_answer__isnull=False, wanted=0, pulled_at=None)
    unmet = known.exclude(pk__in=met).exclude(author=worker_id)
    return _narrowed(unmet, batch=batch, worker_id=worker_id)


def _narrowed(items: QuerySet[Item], *, batch: Batch, worker_id: int) -> QuerySet[Item]:
    family = family_of_batch(batch)
    if isinstance(family, families.NarrowsItems):
        return family.narrow_items(items, worker_id=worker_id)
    return items


def why_none(*, batch: Batch, worker_id: int) -> str:
    """Return why this worker is asked nothing, for the page that says so."""
    if not batches_wanting(Batch.objects.filter(pk=batch.pk)).exists():
        return "answered"
    return "narrowed" if _new_to(batch=batch, worker_id=worker_id).exists() else "known"


def _new_to(*, batch: Batch, worker_id: int) -> QuerySet[Item]:
    """Items that need an answer, and are neither the worker's own nor answered by the worker before."""
    # The question of an answer that was taken out of the data is asked of another worker.
    taken_out = Q(assignment__kept_out=True) | Q(assignment__status=Status.REJECTED)
    # One subquery, not one for each item: that would read all leases of a busy worker each time.
    seen = Lease.objects.filter(worker=worker_id)
    if not family_of_batch(batch).leases_once:
        seen = seen.filter(taken_out | ~Q(status=Lease.Status.RELEASED))
    return (
        items_of_batch(batch)
        .filter(~Q(pk__in=seen.values("item")), wanted__gt=0, pulled_at=None)
        .exclude(author=worker_id)
        .order_by("pk")
    )


def _give_up_earlier(hit: HIT, *, worker: Worker, now: datetime) -> None:
    """Give up this worker's earlier attempts: a ticket for a new acceptance shows that they returned it."""
    if earlier := EARLIER.rows(hit=hit.pk, worker=worker.pk):
        end_attempts(earlier, now=now)


def _refuse_surplus(hit: HIT) -> None:
    """Refuse more assignments than the HIT has places, since without a ticket anybody may claim to work."""
    live = hit.assignments.exclude(status=Status.GONE).count()
    if live >= hit.max_assignments:
        raise RuleBroken("no_place", _("Every place of this HIT is taken. Please return it."))


def family_of_batch(batch: Batch) -> families.TaskType:
    return families.get(batch.task)

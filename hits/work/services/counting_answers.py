"""Answers that count, read from the raw ones: for families that judge later, and can do so again."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from hits.families import ServedWork
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease

# Rows that are held at one time.
AT_ONCE = 2000
# What is read of a work that counts, beside its worker.
READ_OF_WORK = ("public_id", "answer", "worked_s", "active_s", "submitted_at")


@dataclass(frozen=True, kw_only=True)
class CountingAnswer:
    """One worker's answer to one item. Recorded work has no assignment."""

    worker_id: int
    raw: Any
    assignment_id: int | None = None


def on_their_way() -> QuerySet[Lease]:
    """Leases of begun work of which it is not known yet whether it counts."""
    begun = Lease.objects.exclude(status__in=Lease.NO_ANSWER)
    return begun.exclude(status=Lease.Status.ANSWERED, assignment__status__in=Assignment.COUNTING)


def answers_that_count(items: Collection[int]) -> defaultdict[int, list[CountingAnswer]]:
    """Return counting answers by item, oldest first: of submitted work, neither kept out nor rejected."""
    found: defaultdict[int, list[CountingAnswer]] = defaultdict(list)
    rows = _counting().filter(item__in=items).order_by("pk").select_related("item", "assignment")
    for lease in rows.only("item__public_id", "assignment__answer", "worker_id"):
        raw = (lease.assignment.answer or {}).get(str(lease.item.public_id))
        if raw is not None:
            found[lease.item_id].append(
                CountingAnswer(worker_id=lease.worker_id, raw=raw, assignment_id=lease.assignment_id)
            )
    return found


def works_that_count(batches: QuerySet[Batch], *, most: int) -> list[ServedWork]:
    """Return the newest works of these batches with the items whose answers count, by one query.

    They come oldest first. `most` answers are read: with that many, the oldest work may lack some of its own.
    """
    return _newest(_counting(), batches, most=most)


def works_with_attention(batches: QuerySet[Batch], *, most: int) -> list[ServedWork]:
    """Return the newest works that count with their attention items alone, as `works_that_count` does."""
    return _newest(_of_counting_work().filter(status=Lease.Status.ATTENTION), batches, most=most)


def _newest(found: QuerySet[Lease], batches: QuerySet[Batch], *, most: int) -> list[ServedWork]:
    leases = found.filter(assignment__hit__batch__in=batches).order_by("-assignment", "-pk")
    rows = leases.select_related("item", "assignment__worker").only(
        "item__public_id",
        "assignment__worker__pseudonym",
        *(f"assignment__{name}" for name in READ_OF_WORK),
    )
    works: dict[int, tuple[Assignment, list[Item]]] = {}
    items: dict[int, Item] = {}
    # Each work and each item is kept once, however many rows name it.
    for lease in rows[:most].iterator(chunk_size=AT_ONCE):
        item = items.setdefault(lease.item_id, lease.item)
        works.setdefault(lease.assignment_id, (lease.assignment, []))[1].append(item)
    return [ServedWork(assignment=work, items=own[::-1]) for work, own in reversed(works.values())]


def _counting() -> QuerySet[Lease]:
    return _of_counting_work().filter(status=Lease.Status.ANSWERED)


def _of_counting_work() -> QuerySet[Lease]:
    return Lease.objects.filter(
        assignment__status__in=Assignment.COUNTING,
        assignment__kept_out=False,
        assignment__answer__isnull=False,
    )

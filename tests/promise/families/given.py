"""The answers that count, as the tests read them: independently of the product."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.models.leases import Lease


@dataclass(frozen=True, kw_only=True)
class Said:
    """One worker's answer to one item, in one assignment."""

    worker: int
    work: int
    raw: Any


Given = Mapping[int, list[Said]]
# A function that asks about one more thing, which the worker may have made.
Ask = Callable[[Study, Worker], None]


def read_given() -> Given:
    """Answers that count, in order by item: submitted and not rejected, not kept out, and not released."""
    found: defaultdict[int, list[Said]] = defaultdict(list)
    answered = Lease.objects.filter(status="answered").select_related("assignment", "item")
    for lease in answered.order_by("pk"):
        work = lease.assignment
        if work.status in ("submitted", "approved") and not work.kept_out and work.answer is not None:
            raw = work.answer.get(str(lease.item.public_id))
            found[lease.item_id].append(Said(worker=lease.worker_id, work=work.pk, raw=raw))
    return found


def workers(given: Given, item: int) -> set[int]:
    return {one.worker for one in given.get(item, ())}


def is_waiting(item: Item) -> bool:
    """Whether an answer to the item is wanted, or begun and not submitted yet."""
    begun = item.leases.exclude(status="released").select_related("assignment")
    in_hands = any(
        lease.status != "answered" or lease.assignment.status not in ("submitted", "approved")
        for lease in begun
    )
    return bool(item.wanted) or in_hands


def differing(
    name: str, found: Iterable[Hashable], there: Iterable[Hashable], *, whole: bool
) -> Iterator[str]:
    """Yield a difference unless found is part of said, none twice; with `whole` they must be equal."""
    more, less = Counter(found), Counter(there)
    if more - less or (whole and less - more):
        yield f"{name}: found {sorted(map(str, more.elements()))}, said {sorted(map(str, less.elements()))}"


def wanting(name: str, item: Item, *, needed: int) -> Iterator[str]:
    """The item wants the answers that are needed, minus those that exist or are leased."""
    there = item.leases.exclude(status="released").count()
    if item.wanted != max(0, needed - there):
        yield f"{name}: {item.wanted} are wanted, {needed} needed, and {there} there"

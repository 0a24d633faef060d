"""The answers that count, as this net reads them: by itself, and not as the product does."""

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
    """One worker's answer to one item, of one piece of work."""

    worker: int
    work: int
    raw: Any


Given = Mapping[int, list[Said]]
# Asks about one thing more; the worker may be who made it.
Ask = Callable[[Study, Worker], None]


def read_given() -> Given:
    """By item, the first one first: handed in and not rejected, not kept out, and given away to nobody."""
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
    """For an answer that is wanted, or begun and not handed in yet."""
    begun = item.leases.exclude(status="released").select_related("assignment")
    in_hands = any(
        lease.status != "answered" or lease.assignment.status not in ("submitted", "approved")
        for lease in begun
    )
    return bool(item.wanted) or in_hands


def differing(
    name: str, found: Iterable[Hashable], there: Iterable[Hashable], *, whole: bool
) -> Iterator[str]:
    """What was found is what was said: all of it if `whole`, and nothing twice or of nobody in any case."""
    more, less = Counter(found), Counter(there)
    if more - less or (whole and less - more):
        yield f"{name}: found {sorted(map(str, more.elements()))}, said {sorted(map(str, less.elements()))}"


def wanting(name: str, item: Item, *, needed: int) -> Iterator[str]:
    """As many answers are wanted as are needed, but for those that are there or in somebody's hands."""
    there = item.leases.exclude(status="released").count()
    if item.wanted != max(0, needed - there):
        yield f"{name}: {item.wanted} are wanted, {needed} needed, and {there} there"

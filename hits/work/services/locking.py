"""Order in which rows are locked, so that no two transactions wait for each other, and the locking of items.

Picture, project, unit (an image, an example), HIT, worker, assignment, items, findings, attempt, holding,
run, bonus, batch, study. A holder of a row locks none before it, and rows of one kind lowest first. Items are
in the middle, and many callers need several: a transaction locks all of its items by one statement.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import structlog
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from hits.common.kept_queries import KeptQuery, given_id
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item

log = structlog.get_logger()
Row = TypeVar("Row", bound=Model)
HELD_HIT = KeptQuery(lambda: HIT.objects.filter(pk=given_id("hit")).select_for_update(no_key=True).only("pk"))
HELD_STATUS = KeptQuery(
    lambda: (
        Assignment.objects.filter(pk=given_id("assignment"))
        .select_for_update(no_key=True)
        .values_list("status", flat=True)
    )
)


@contextmanager
def held(row: Row) -> Iterator[Row]:
    """Yield the current row, locked for one transaction."""
    with transaction.atomic():
        rows = type(row)._default_manager.select_for_update(no_key=True).select_related(None)
        yield rows.get(pk=row.pk)


def lock_hit(hit_id: int) -> None:
    """Lock the HIT's row, which stands for all its assignments."""
    HELD_HIT.rows(hit=hit_id)


def lock_assignment(assignment_id: int) -> str:
    """Lock the assignment's row, and return its status as it is then."""
    [status] = HELD_STATUS.rows(assignment=assignment_id)
    return status


@dataclass(frozen=True, eq=False)
class LockedItems:
    """Note of locked items in a transaction. Django drops it at the end, and on rollback to a savepoint."""

    keys: frozenset[int]

    def __call__(self) -> None: ...


def lock_items(
    items: QuerySet[Item] | Collection[int], *, most: int | None = None, to_delete: bool = False
) -> list[Item]:
    """Lock items and return them as they are now.

    A process that removes an answer waits here, and then finds it counted. The keys that a transaction names
    later must be among those that it has named first.
    """
    rows = items if isinstance(items, QuerySet) else Item.objects.only("pk").filter(pk__in=items)
    locked = list(rows.order_by("pk").select_for_update(of=("self",), no_key=not to_delete)[:most])
    keys = frozenset(item.pk for item in locked)
    if (held := _held()) and not keys <= held:
        refuse_second(keys - held)
    if locked:
        hold_new(locked)
    return locked


def hold_new(items: Iterable[Item]) -> None:
    """Note items made in this transaction as locked, without a statement: nobody else can see them yet."""
    transaction.on_commit(LockedItems(frozenset(item.pk for item in items)))


def refuse_second(keys: Collection[int]) -> None:
    """Log a second locking statement, which tests refuse. Here it goes on: it seldom causes a deadlock."""
    log.error("items.locked_by_a_second_statement", items=sorted(keys), stack_info=True)


def notes() -> list[LockedItems]:
    """Notes of locked items that this transaction has made so far."""
    return [call for _, call, *_ in connection.run_on_commit if isinstance(call, LockedItems)]


def _held() -> frozenset[int]:
    return frozenset().union(*(note.keys for note in notes()))

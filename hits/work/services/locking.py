"""In which order rows are locked, so that no two transactions wait for each other; and how items are.

Picture, project, unit (an image, an example), HIT, worker, assignment, items, findings, attempt, holding,
run, bonus, batch, study. Whoever holds a row asks for none before it, and of one kind for the lowest first.
Items stand in the middle, and many want several: a transaction locks all of its items by one statement.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import structlog
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from hits.work.models.items import Item

log = structlog.get_logger()
Row = TypeVar("Row", bound=Model)


@contextmanager
def held(row: Row) -> Iterator[Row]:
    """As it is now, for one transaction."""
    with transaction.atomic():
        rows = type(row)._default_manager.select_for_update(no_key=True).select_related(None)
        yield rows.get(pk=row.pk)


@dataclass(frozen=True, eq=False)
class LockedItems:
    """Left with a transaction: Django forgets it at the end, and on the way back to a savepoint."""

    keys: frozenset[int]

    def __call__(self) -> None: ...


def lock_items(
    items: QuerySet[Item] | Collection[int], *, most: int | None = None, to_delete: bool = False
) -> list[Item]:
    """As they are now. Whoever takes an answer out of them waits, and then finds it counted.

    The keys that a transaction names later must be among those that it has named first.
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
    """Nobody else sees items that were made in this transaction: they are held without a statement."""
    transaction.on_commit(LockedItems(frozenset(item.pk for item in items)))


def refuse_second(keys: Collection[int]) -> None:
    """Tests refuse it. Here it is told, and done all the same: it seldom makes two wait for each other."""
    log.error("items.locked_by_a_second_statement", items=sorted(keys), stack_info=True)


def notes() -> list[LockedItems]:
    """What this transaction has noted so far."""
    return [call for _, call, *_ in connection.run_on_commit if isinstance(call, LockedItems)]


def _held() -> frozenset[int]:
    return frozenset().union(*(note.keys for note in notes()))

"""Numbers of answers that items still lack: those they need, less those that are there or on their way."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Model, Q

from hits.common.bulk_writes import write_each
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.locking import hold_new

AT_ONCE = 500
Row = TypeVar("Row", bound=Model)


def ask_about(rows: Sequence[Row], item_of: Callable[[Row], Item], *, field: str = "item") -> None:
    """Create an item for each row, in this order, and point the row at it. The rows are locked."""
    made = Item.objects.bulk_create(map(item_of, rows), batch_size=AT_ONCE)
    hold_new(made)
    for row, item in zip(rows, made, strict=True):
        setattr(row, field, item)
    if rows:
        keys = {row.pk: (item.pk,) for row, item in zip(rows, made, strict=True)}
        write_each(model=type(rows[0]), columns=[f"{field}_id"], rows=keys)


def new_item(*, answers_needed: int, **about: Any) -> Item:
    """Return an unsaved item, all of whose answers are still needed."""
    return Item(answers_needed=answers_needed, wanted=answers_needed, **about)


def make_item(*, answers_needed: int, **about: Any) -> Item:
    item = new_item(answers_needed=answers_needed, **about)
    item.save()
    return item


def want_answers(needed: Mapping[int, int], *, refused: Q | None = None) -> None:
    """Set how many answers each item needs, and from its leases, how many it still lacks.

    `needed`: for each item, how many answers its leases are to bring. `refused`: leases that bring none.
    The items are locked. Idempotent: nothing is asked for twice.
    """
    leases = Lease.objects.filter(item__in=needed).exclude(status__in=Lease.NO_ANSWER)
    leases = leases if refused is None else leases.exclude(refused)
    there = Counter(leases.order_by().values_list("item_id", flat=True))
    changed = []
    for item in Item.objects.filter(pk__in=needed).only("answers_needed", "wanted").order_by("pk"):
        number = max(0, needed[item.pk])
        lacking = max(0, number - there[item.pk])
        if (item.answers_needed, item.wanted) != (number, lacking):
            item.answers_needed, item.wanted = number, lacking
            changed.append(item)
    Item.objects.bulk_update(changed, ("answers_needed", "wanted"))

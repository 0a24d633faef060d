"""How many answers items still want: as many as the rules say, but for those that are there or coming."""

from collections import Counter
from collections.abc import Mapping

from django.db.models import Q

from hits.models import Item, Lease


def want_answers(wanted: Mapping[int, int], *, refused: Q | None = None) -> None:
    """`wanted`: of each item, how many answers its leases are to bring. `refused`: leases that bring none.

    The items are locked. However often it is called, nothing is asked for twice.
    """
    leases = Lease.objects.filter(item__in=wanted).exclude(status=Lease.Status.RELEASED)
    leases = leases if refused is None else leases.exclude(refused)
    there = Counter(leases.order_by().values_list("item_id", flat=True))
    changed = []
    for item in Item.objects.filter(pk__in=wanted).only("wanted").order_by("pk"):
        lacking = max(0, wanted[item.pk] - there[item.pk])
        if item.wanted != lacking:
            item.wanted = lacking
            changed.append(item)
    Item.objects.bulk_update(changed, ("wanted",))

"""Questions about an association follow it: pulled at once when it is pulled, and restored with it."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef

from crowd.winogavil.annotation.models import Annotation
from hits.work.models.items import Item


def items_about(items: Collection[int]) -> set[int]:
    """Items of the questions about the associations of these items."""
    asked = Annotation.objects.filter(association__item__in=items)
    return set(asked.values_list("item_id", flat=True))


def follow_associations(*, items: Collection[int], now: datetime) -> None:
    """Pull or restore questions with their associations; services.withdrawal calls it and holds the locks."""
    away = Exists(Annotation.objects.filter(item=OuterRef("pk"), association__item__pulled_at__isnull=False))
    rows = Item.objects.filter(pk__in=items_about(items))
    rows.filter(away, pulled_at=None).update(pulled_at=now)
    rows.filter(~away, pulled_at__isnull=False).update(pulled_at=None)

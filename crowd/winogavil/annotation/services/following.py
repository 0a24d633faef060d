"""What is pulled as an association is pulled as a question about it too, at once, and comes back with it."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef

from crowd.winogavil.annotation.models import Annotation
from hits.models import Item


def follow_associations(*, items: Collection[int], now: datetime) -> None:
    """Called by crowd.winogavil.services.pulling with the associations' items, in its transaction."""
    asked = Item.objects.filter(annotation__association__item__in=list(items)).order_by("pk")
    keys = list(asked.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    away = Exists(Annotation.objects.filter(item=OuterRef("pk"), association__item__pulled_at__isnull=False))
    rows = Item.objects.filter(pk__in=keys)
    rows.filter(away, pulled_at=None).update(pulled_at=now)
    rows.filter(~away, pulled_at__isnull=False).update(pulled_at=None)

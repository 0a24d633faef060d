"""Schedule of the next reading of a HIT at its provider."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from hits.work.models.hits import HIT


def look_soon(*, hit_ids: Iterable[int], now: datetime) -> int:
    """Have the next run of the reconciler read these HITs. A look that is under way is made again."""
    return _bring_forward(HIT.objects.filter(pk__in=hit_ids), to=now)


def look_by(*, hit_id: int, at: datetime) -> bool:
    """Have the HIT read at this instant at the latest."""
    return bool(_bring_forward(HIT.objects.filter(pk=hit_id), to=at))


def _bring_forward(hits: QuerySet[HIT], *, to: datetime) -> int:
    later = Q(look_at=None) | Q(look_at__gt=to)
    return hits.filter(later, status=HIT.Status.OPEN).update(look_at=to)

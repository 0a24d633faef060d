"""HITs that ended at the provider before their time, as the look at them leaves them."""

from datetime import datetime, timedelta

from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT
from tests.factories import NOW


def end_early(hit: HIT, *, at: datetime = NOW) -> EarlyEnd:
    HIT.objects.filter(pk=hit.pk).update(expires_at=at, status=HIT.Status.CLOSED, closed_at=at)
    due_at = at + timedelta(days=7)
    return EarlyEnd.objects.create(hit=hit, ended_at=at, due_at=due_at, free_places=2, found_at=at)

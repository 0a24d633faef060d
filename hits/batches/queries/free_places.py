"""Places of a batch's HITs that workers can still take."""

from django.db.models import Count, F, Q, QuerySet

from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT


def with_free_places(batch: Batch) -> QuerySet[HIT]:
    """HITs of the batch with places that nobody has taken; `free` says how many."""
    taken = Count("assignments", filter=~Q(assignments__status=Assignment.Status.GONE))
    return batch.hits.order_by().annotate(free=F("max_assignments") - taken).filter(free__gt=0)

"""Growth of steps' batches by themselves: a place for each needed answer, within the budget."""

from datetime import datetime

from django.db.models import Q

from crowd.winoventi.models import Step
from hits.batches.services.top_up import GROWING, grow_each
from hits.studies.models import Batch
from hits.work.queries.items import batches_wanting


def grow_steps(*, now: datetime) -> int:
    """Add HITs to all such batches, and return how many. A step's page shows why its batch could not grow."""
    launched = Batch.objects.filter(status__in=GROWING, launched_by__isnull=False)
    # A batch that could not grow is tried again until its step's problem is cleared.
    wanting = Q(batch__in=batches_wanting(launched)) | (Q(batch__in=launched) & ~Q(problem=""))
    rows = Step.objects.filter(wanting, by_itself=True).select_related("batch__study", "batch__launched_by")
    return grow_each(rows, batch="batch", now=now)

"""The batch of a step that goes on by itself has as many places as answers are wanted, within the budget."""

from datetime import datetime

from django.db.models import Q

from crowd.winoventi.models import Step
from hits.batches.services.top_up import GROWING, grow_each
from hits.studies.models import Batch
from hits.work.queries.items import batches_wanting


def grow_steps(*, now: datetime) -> int:
    """HITs added to all of them. Why one could not grow stands on its page."""
    launched = Batch.objects.filter(status__in=GROWING, launched_by__isnull=False)
    # What could not grow is looked at until its page says nothing of it any more.
    wanting = Q(batch__in=batches_wanting(launched)) | (Q(batch__in=launched) & ~Q(problem=""))
    rows = Step.objects.filter(wanting, by_itself=True).select_related("batch__study", "batch__launched_by")
    return grow_each(rows, batch="batch", now=now)

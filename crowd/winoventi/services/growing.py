"""The batch of a step that goes on by itself has as many places as answers are wanted, within the budget."""

from datetime import datetime

import structlog
from django.db.models import Q

from crowd.winoventi.models import Step
from hits.errors import RuleBroken
from hits.models import Batch
from hits.queries import batches_wanting
from hits.services.growing import GROWING, grow_batch

log = structlog.get_logger()


def grow_steps(*, now: datetime) -> int:
    """HITs added to all of them. Why one could not grow stands on its page."""
    launched = Batch.objects.filter(status__in=GROWING, launched_by__isnull=False)
    # What could not grow is looked at until its page says nothing of it any more.
    wanting = Q(batch__in=batches_wanting(launched)) | (Q(batch__in=launched) & ~Q(problem=""))
    rows = Step.objects.filter(wanting, by_itself=True).select_related("batch__study", "batch__launched_by")
    return sum(_grow(step, now=now) for step in rows.order_by("pk"))


def _grow(step: Step, *, now: datetime) -> int:
    batch, problem, added = step.batch, "", 0
    if batch is None or batch.launched_by is None:
        return 0
    try:
        # On the word of whoever launched it, and within what the study may still spend.
        added = grow_batch(batch=batch, by=batch.launched_by, now=now)
    except RuleBroken as broken:
        problem = str(broken)
        log.warning("winoventi.not_grown", study=str(batch.study.public_id), step=step.kind, code=broken.code)
    if problem != step.problem:
        Step.objects.filter(pk=step.pk).update(problem=problem)
    return added

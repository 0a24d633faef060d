"""The batch of a step that goes on by itself has as many places as answers are wanted, within the budget."""

from datetime import datetime

import structlog

from crowd.winoventi.models import Step
from hits.errors import RuleBroken
from hits.services.growing import GROWING, grow_batch

log = structlog.get_logger()


def grow_steps(*, now: datetime) -> int:
    """HITs added to all of them. Why one could not grow stands on its page."""
    steps = Step.objects.filter(by_itself=True, batch__status__in=GROWING, batch__launched_by__isnull=False)
    rows = steps.select_related("batch__study", "batch__launched_by").order_by("pk")
    return sum(_grow(step, now=now) for step in rows)


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

"""Launched batches get as many places as answers are wanted, if the project says so and the money lasts."""

from datetime import datetime

import structlog

from crowd.whoops import domain
from crowd.whoops.models import Project
from hits.errors import RuleBroken
from hits.models import Batch
from hits.queries import batches_wanting
from hits.services.growing import GROWING, grow_batch

GROWN = (domain.CONTROL, domain.ANNOTATE, *domain.JUDGED)
log = structlog.get_logger()


def grow_batches(*, now: datetime) -> int:
    """HITs added to all of them. The newest batch of each task grows."""
    projects = Project.objects.filter(grows_by_itself=True)
    batches = Batch.objects.filter(
        study__whoops__in=projects, task__in=GROWN, status__in=GROWING, launched_by__isnull=False
    )
    wanting = set(batches_wanting(batches).values_list("pk", flat=True))
    if not wanting:
        return 0
    newest: dict[tuple[int, str], Batch] = {}
    for batch in batches.select_related("study", "launched_by").order_by("pk"):
        newest[batch.study_id, batch.task] = batch
    return sum(_grow(batch, now=now) for batch in newest.values() if batch.pk in wanting)


def _grow(batch: Batch, *, now: datetime) -> int:
    if batch.launched_by is None:
        return 0
    try:
        # On the word of whoever launched it, and within what the study may still spend.
        return grow_batch(batch=batch, by=batch.launched_by, now=now)
    except RuleBroken as broken:
        log.warning("whoops.not_grown", batch=str(batch.public_id), task=batch.task, code=broken.code)
        return 0

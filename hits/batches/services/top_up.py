"""Top-up of launched batches to as many places as answers are needed, where work makes more work."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import structlog
from django.db.models import Max, Q, QuerySet, Sum

from hits.batches.queries.free_places import with_free_places
from hits.batches.services.batch_lifecycle import add_hits
from hits.batches.services.drafting import hits_for
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work.models.hits import HIT
from hits.work.queries.items import answers_of, answers_wanted

# In these a batch can get more HITs.
GROWING = (Batch.Status.OPEN, Batch.Status.COMPLETE)
log = structlog.get_logger()


def grow_each(rows: QuerySet[Any], *, batch: str, now: datetime) -> int:
    """Add HITs to these rows' batches; return how many. A row's problem says why its batch could not grow."""
    total = 0
    for row in rows.order_by("pk"):
        added, problem = grow_by_itself(getattr(row, batch), now=now)
        total += added
        if problem != row.problem:
            rows.model._default_manager.filter(pk=row.pk).update(problem=problem)
    return total


def grow_newest(batches: Iterable[Batch], *, now: datetime) -> int:
    """Grow, of batches that come oldest first, the last of each study and task. Return how many HITs came."""
    newest = {(batch.study_id, batch.task): batch for batch in batches}
    return sum(grow_by_itself(batch, now=now)[0] for batch in newest.values())


def grow_by_itself(batch: Batch, *, now: datetime) -> tuple[int, str]:
    """Add HITs on behalf of the batch's launcher; return how many, or why none could be added."""
    if batch.launched_by is None:
        return 0, ""
    try:
        return grow_batch(batch=batch, by=batch.launched_by, now=now), ""
    except RuleBroken as broken:
        log.warning("batch.not_grown", batch=str(batch.public_id), task=batch.task, code=broken.code)
        return 0, str(broken)


def grow_batch(*, batch: Batch, by: User, now: datetime) -> int:
    """Add the lacking HITs within the budget; return how many. Raises RuleBroken, with nothing added."""
    # If somebody else adds HITs while we count, nothing is added twice.
    last = batch.hits.aggregate(last=Max("number"))["last"] or 0
    count = hits_lacking(batch)
    if count:
        add_hits(batch=batch, count=count, by=by, now=now, after=last)
    return count


def hits_lacking(batch: Batch) -> int:
    """Number of HITs lacking until every needed answer has a place; 0 while the open places suffice."""
    lacking = answers_wanted(batch) - answers_of(batch, places=open_places(batch))
    return hits_for(batch, answers=lacking) if lacking > 0 else 0


def open_places(batch: Batch) -> int:
    """Number of places that workers can still take, of HITs sent, on their way, or to be reopened."""
    live = Q(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN)) | Q(time_left__isnull=False)
    return with_free_places(batch).filter(live).aggregate(sum=Sum("free"))["sum"] or 0

"""Launched batches grow to the answers needed, if the project says so and the money lasts."""

from datetime import datetime

from crowd.whoops import domain
from crowd.whoops.models import Project
from hits.batches.services.top_up import GROWING, grow_by_itself
from hits.studies.models import Batch
from hits.work.queries.items import batches_wanting

GROWN = (domain.CONTROL, domain.ANNOTATE, *domain.JUDGED)


def grow_batches(*, now: datetime) -> int:
    """Grow the newest batch of each task in each project, and return how many HITs were added."""
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
    return sum(grow_by_itself(batch, now=now)[0] for batch in newest.values() if batch.pk in wanting)

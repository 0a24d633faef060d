"""Launched batches grow to the answers needed, if the project says so and the money lasts."""

from datetime import datetime

from crowd.whoops import domain
from crowd.whoops.models import Project
from hits.batches.services.top_up import GROWING, grow_newest
from hits.studies.models import Batch
from hits.work.queries.items import batches_wanting

GROWN = (domain.CONTROL, domain.ANNOTATE, *domain.JUDGED)


def grow_batches(*, now: datetime) -> int:
    """Grow the newest batch of each task in each project, and return how many HITs were added."""
    projects = Project.objects.filter(grows_by_itself=True)
    batches = Batch.objects.filter(
        study__whoops__in=projects, task__in=GROWN, status__in=GROWING, launched_by__isnull=False
    )
    if not batches_wanting(batches).exists():
        return 0
    return grow_newest(batches.select_related("study", "launched_by").order_by("pk"), now=now)

"""Gauges of what waits for a rival or a judge."""

from collections.abc import Iterator
from datetime import datetime

from hits.common.watching.row_gauges import Reading, read_queue, reads_gauges
from scoring.models import PendingQuery
from scoring.services.pending_work import questions_waiting
from scoring.services.score_recording import work_to_judge


@reads_gauges("scoring")
def read_scoring(now: datetime) -> Iterator[Reading]:
    """Read the queues; what is put off until later has the age of its question all the same."""
    urgent = PendingQuery.objects.filter(is_urgent=True)
    later = PendingQuery.objects.filter(is_urgent=False)
    yield from read_queue("rival_urgent", urgent, since="asked_at", now=now)
    yield from read_queue("rival_later", later, since="asked_at", now=now)
    yield from read_queue("model_questions", questions_waiting(), since="try_at", now=now)
    yield from read_queue("work_to_judge", work_to_judge(), since="submitted_at", now=now)

"""Heartbeats of the work page: the server counts active time with its own clock.

One UPDATE a beat, and no lock but that of the assignment's row for its length. Each beat swaps the moment
that it has seen: two tabs, or a hostile client, never earn more time than passes on the clock.
"""

from datetime import datetime, timedelta

from hits.work.domain import SECOND, SHORTEST_STEP, CountedTime, count_beat
from hits.work.models.assignments import Assignment


def count_activity(*, assignment: Assignment, now: datetime) -> bool:
    """Count a heartbeat; True if written. No beat counts after the answer is saved, or the deadline."""
    return _count(assignment, now=now, shortest=SHORTEST_STEP)


def count_last_stretch(*, assignment: Assignment, now: datetime) -> bool:
    """Count the time from the last heartbeat to the answer, in the transaction that saves the answer."""
    return assignment.beat_at is not None and _count(assignment, now=now, shortest=SECOND)


def _count(assignment: Assignment, *, now: datetime, shortest: timedelta) -> bool:
    seen = assignment.beat_at
    before = CountedTime(active_s=assignment.active_s or 0, beat_at=seen) if seen else None
    counted = count_beat(before, opened_at=assignment.opened_at, now=now, shortest=shortest)
    if counted is None or now >= assignment.deadline_at:
        return False
    unchanged = Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.OPENED, beat_at=seen)
    return bool(unchanged.update(active_s=counted.active_s, beat_at=counted.beat_at))

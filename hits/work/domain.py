"""Active time of a worker, counted from a page's heartbeats. Only the server's own clock counts."""

from dataclasses import dataclass
from datetime import datetime, timedelta

# Interval of the page's beats. The time of one that comes sooner is counted by the next.
SHORTEST_STEP = timedelta(seconds=5)
# The most that one beat counts, and the silence after which a beat only starts again.
LONGEST_STEP = timedelta(seconds=30)
IDLE = timedelta(seconds=60)
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class CountedTime:
    """Seconds of active time, and the moment up to which they are counted."""

    active_s: int
    beat_at: datetime


def count_beat(
    before: CountedTime | None, *, opened_at: datetime, now: datetime, shortest: timedelta = SHORTEST_STEP
) -> CountedTime | None:
    """Count a beat; None if there is nothing to write. Never more than has passed since the opening."""
    if before is None:
        return CountedTime(active_s=0, beat_at=now)
    passed = now - before.beat_at
    if timedelta(0) <= passed < shortest:
        return None
    if passed < timedelta(0) or passed > IDLE:
        return CountedTime(active_s=before.active_s, beat_at=now)
    seconds = min(passed, LONGEST_STEP) // SECOND
    # Parts of a second count with the next beat, unless a pause ends them.
    beat_at = before.beat_at + seconds * SECOND if passed <= LONGEST_STEP else now
    most = max(before.active_s, (now - opened_at) // SECOND)
    return CountedTime(active_s=min(before.active_s + seconds, most), beat_at=beat_at)


def effective_seconds(*, active_s: int | None, worked_s: int | None) -> int | None:
    """Seconds that hourly pay is counted from: active time if the page reported any, never above the clock's.

    A page without scripts, or whose heartbeats did not come through, counts from accepting to submitting.
    """
    if not active_s or worked_s is None:
        return active_s or worked_s
    return min(active_s, worked_s)

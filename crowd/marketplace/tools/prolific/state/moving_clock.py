"""A clock that runs, and that a test can move forward; and what is due at a time."""

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

Job = Callable[[datetime], object]


class MovingClock:
    def __init__(self) -> None:
        self._moved = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._moved

    def advance(self, by: timedelta) -> None:
        """Move the clock. Raises ValueError if it would run backward."""
        if by < timedelta():
            raise ValueError("A clock moves forward only.")
        self._moved += by


class Agenda:
    """What is to be done at a time, in the order of these times."""

    def __init__(self) -> None:
        self._jobs: list[tuple[datetime, int, Job]] = []
        self._numbers = count()

    def add(self, at: datetime, job: Job) -> None:
        heapq.heappush(self._jobs, (at, next(self._numbers), job))

    def run_due(self, now: datetime) -> None:
        """Run what is due, each job with the time at which it was due; a job may add others."""
        while self._jobs and self._jobs[0][0] <= now:
            at, _, job = heapq.heappop(self._jobs)
            job(at)

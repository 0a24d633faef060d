"""One token bucket for each account, in the database and by its clock, so that all processes share it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.db.models.functions import Now

from hits.models import Pace

# What nobody used of the last moments may be used at once.
BURST = timedelta(seconds=1)
# Nobody queues for longer: a turn that lies farther ahead was written while the database's clock was wrong.
LONGEST_QUEUE = timedelta(seconds=30)
NEVER = datetime(2000, 1, 1, tzinfo=UTC)


def wait_turn(*, account_id: int, rate: int, sleep: Callable[[float], None] = time.sleep) -> None:
    """Returns when the next call of this account may leave."""
    if (delay := take_turn(account_id=account_id, rate=rate)) > 0:
        sleep(delay)


def take_turn(*, account_id: int, rate: int) -> float:
    """Seconds until the next free instant, which is nobody else's: compare and swap, until it is ours."""
    while True:
        pace = Pace.objects.filter(account_id=account_id).annotate(now=Now()).first()
        if pace is None:
            Pace.objects.get_or_create(account_id=account_id, defaults={"free_at": NEVER})
            continue
        is_possible = pace.free_at <= pace.now + LONGEST_QUEUE
        turn = max(pace.free_at, pace.now - BURST) if is_possible else pace.now
        after = turn + timedelta(seconds=1 / rate)
        if Pace.objects.filter(account_id=account_id, free_at=pace.free_at).update(free_at=after):
            return float((turn - pace.now).total_seconds())

"""One token bucket for each account, in the database, so that all processes share it."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils import timezone

from hits.models import Pace

# What nobody used of the last moments may be used at once.
BURST = timedelta(seconds=1)


def wait_turn(*, account_id: int, rate: int, sleep: Callable[[float], None] = time.sleep) -> None:
    """Returns when the next call of this account may leave."""
    turn = take_turn(account_id=account_id, rate=rate, now=timezone.now())
    delay = (turn - timezone.now()).total_seconds()
    if delay > 0:
        sleep(delay)


def take_turn(*, account_id: int, rate: int, now: datetime) -> datetime:
    """The next free instant, which is nobody else's then: compare and swap, until it is ours."""
    while True:
        pace, _ = Pace.objects.get_or_create(account_id=account_id, defaults={"free_at": now - BURST})
        turn = max(pace.free_at, now - BURST)
        after = turn + timedelta(seconds=1 / rate)
        if Pace.objects.filter(account_id=account_id, free_at=pace.free_at).update(free_at=after):
            return turn

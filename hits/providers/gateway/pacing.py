"""Line to one account's provider: a token bucket in the database, and by its clock, for all processes.

It also records whether the provider answers, for the account's pages.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Lock

from django.db import transaction
from django.db.models.functions import Coalesce, Now

from hits.common import clock
from hits.core.errors import ProviderRefused, ProviderUnavailable, StandsStill
from hits.providers.gateway.standstill import WORDS, begin_epochs
from hits.providers.models.accounts import Pace
from hits.providers.models.epochs import Epoch

# Unused turns of this last stretch of time may be used at once.
BURST = timedelta(seconds=1)
# A process takes the turns of this stretch at once, so that a quick account's do not cost two queries each.
LOT_S = 0.1
MOST_IN_A_LOT = 20
# The longest wait: a turn that is farther ahead was written while the database's clock was wrong.
LONGEST_QUEUE = timedelta(seconds=30)
LONGEST_PROBLEM = 300
LONGEST_EPOCH = 64
NEVER = datetime(2000, 1, 1, tzinfo=UTC)


class Line:
    def __init__(self, *, account_id: int, rate: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self._account_id, self._rate, self._sleep = account_id, rate, sleep
        self._was_silent = False
        self._epoch = ""
        # Turns that were taken for this process, and when: instants of the monotonic clock.
        self._turns: deque[float] = deque()
        self._taken_at = 0.0
        self._lock = Lock()

    def wait(self) -> None:
        """Wait until the next call of this account may leave."""
        with self._lock:
            now = time.monotonic()
            if not self._turns or now - self._taken_at > BURST.total_seconds():
                self._take_turns(now)
            delay = self._turns.popleft() - now
        if delay > 0:
            self._sleep(delay)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn and record whether the provider answers. A refusal is an answer too."""
        self.wait()
        try:
            yield
        except StandsStill:
            raise
        except ProviderUnavailable as error:
            self.failed(str(error))
            raise
        except ProviderRefused:
            self.answered()
            raise
        self.answered()

    def _take_turns(self, now: float) -> None:
        turns = max(1, min(MOST_IN_A_LOT, int(self._rate * LOT_S)))
        pace, delay = take_turns(turns, account_id=self._account_id, rate=self._rate)
        self._was_silent = pace.silent_since is not None
        self._epoch = pace.provider_epoch
        self._taken_at = now
        self._turns = deque(now + delay + place / self._rate for place in range(turns))

    def answered(self) -> None:
        """Record that the provider answers. Nothing is written unless it was silent before."""
        if self._was_silent:
            silent = Pace.objects.filter(account_id=self._account_id, silent_since__isnull=False)
            silent.update(problem="", silent_since=None)
            self._was_silent = False

    def heard(self, epoch: str) -> None:
        """Compare the provider's epoch with the known one. Raises StandsStill if it has changed.

        What was known when this process took its turns may be old: whatever differs from it is looked up.
        """
        if epoch not in ("", self._epoch):
            compare_epoch(epoch, account_id=self._account_id)
            self._epoch = epoch

    def failed(self, problem: str) -> None:
        self._was_silent = True
        pace = Pace.objects.filter(account_id=self._account_id)
        pace.update(problem=problem[:LONGEST_PROBLEM], silent_since=Coalesce("silent_since", Now()))


def compare_epoch(epoch: str, *, account_id: int) -> None:
    """Store a changed epoch and halt the account. Compare and swap: of several callers, one does it.

    Raises StandsStill for that one.
    """
    known = Pace.objects.filter(account_id=account_id).values_list("provider_epoch", flat=True).first()
    if known is None or epoch in ("", known):
        return
    pace = Pace.objects.filter(account_id=account_id, provider_epoch=known)
    with transaction.atomic():
        if not pace.update(provider_epoch=epoch) or not known:
            return
        begin_epochs([account_id], side=Epoch.Side.THEIRS, copied_at=None, now=clock.now())
    raise StandsStill(WORDS)


def take_turns(turns: int, *, account_id: int, rate: int) -> tuple[Pace, float]:
    """Return the seconds until the first of the next turns, which are the caller's by compare and swap."""
    while True:
        pace = Pace.objects.filter(account_id=account_id).annotate(now=Now()).first()
        if pace is None:
            Pace.objects.get_or_create(account_id=account_id, defaults={"free_at": NEVER})
            continue
        is_possible = pace.free_at <= pace.now + LONGEST_QUEUE
        turn = max(pace.free_at, pace.now - BURST) if is_possible else pace.now
        after = turn + timedelta(seconds=turns / rate)
        if Pace.objects.filter(account_id=account_id, free_at=pace.free_at).update(free_at=after):
            return pace, float((turn - pace.now).total_seconds())

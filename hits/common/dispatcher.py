"""Decision on when each sweep is run. A dispatcher keeps no state: a new one has every sweep run once."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hits.common.pulses import Pulse
from hits.common.sweeps import Sweep, SweepReport

# A sweep that was started and reports nothing for so long was lost with the process that ran it.
LOST_S = 30.0
# Every sweep is run this often, for what no write and no instant has announced.
CHECK_S = 300.0
# A sweep whose tables are written all the time takes an eleventh of the time.
REST_IN_RUNS = 10
Seconds = Callable[[], float]


@dataclass
class _Plan:
    sweep: Sweep
    at: float
    started: float = float("-inf")
    took: float = float("inf")
    is_running: bool = False
    # Tables that its last run has read; None before the first run means any.
    tables: frozenset[str] | None = None
    # The first start that no report has answered, and the first failure since a run that went well.
    asked: float | None = None
    failed: float | None = None
    # Tables written while it ran: it may have read them before.
    written: set[str] = field(default_factory=set)

    def rested(self) -> float:
        return self.started + self.sweep.rest_s

    def wake(self, now: float) -> None:
        """Bring the next run forward. After a quick run the rest is short, so chains of sweeps are fast."""
        rested = min(self.rested(), self.started + REST_IN_RUNS * self.took)
        self.at = min(self.at, max(now, rested))


class Dispatcher:
    def __init__(
        self,
        sweeps: Mapping[str, Sweep],
        *,
        start: Callable[[Sweep], None],
        monotonic: Seconds = time.monotonic,
    ) -> None:
        self._start = start
        self._monotonic = monotonic
        self._done: float | None = None
        self._plans = {name: _Plan(sweep, at=monotonic()) for name, sweep in sweeps.items()}

    def wake_all(self) -> None:
        """Wake every sweep: a message was missed, or a process has died in the middle of an unknown sweep."""
        now = self._monotonic()
        for plan in self._plans.values():
            plan.is_running = False
            plan.wake(now)

    def hear_written(self, tables: set[str]) -> None:
        now = self._monotonic()
        for plan in self._plans.values():
            if plan.is_running:
                plan.written |= tables
            elif plan.tables is None or plan.tables & tables:
                plan.wake(now)

    def hear_done(self, done: SweepReport) -> None:
        plan = self._plans.get(done.name)
        if plan is None:
            return
        now = self._done = self._monotonic()
        plan.asked, plan.failed = None, (plan.failed or now) if done.has_failed else None
        plan.is_running, plan.tables, plan.took = False, done.tables, now - plan.started
        plan.at = max(plan.rested(), now + CHECK_S * random.uniform(0.8, 1.2))  # noqa: S311 - spreads them, no more
        if done.due_in is not None:
            # A failed sweep is due at once but takes its whole rest, or it would fail without pause.
            plan.at = min(plan.at, max(plan.rested(), now + done.due_in))
        if plan.written & done.tables:
            plan.wake(now)

    def pulse(self, *, at: float) -> Pulse:
        """Return what is known of the sweeps at this instant, in seconds since 1970."""
        began = at - self._monotonic()
        plans = self._plans.items()
        return Pulse(
            at=at,
            done_at=None if self._done is None else began + self._done,
            unanswered={name: began + plan.asked for name, plan in plans if plan.asked is not None},
            failing={name: began + plan.failed for name, plan in plans if plan.failed is not None},
        )

    def start_due(self) -> float:
        """Start the sweeps that are due, and return the seconds until the next one will be."""
        now = self._monotonic()
        for plan in self._plans.values():
            if plan.at <= now:
                plan.started, plan.is_running, plan.at = now, True, now + LOST_S
                plan.asked = plan.asked or now
                plan.written = set()
                self._start(plan.sweep)
        first = min((plan.at for plan in self._plans.values()), default=now + CHECK_S)
        return max(0.0, first - self._monotonic())

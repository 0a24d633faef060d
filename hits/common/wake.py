"""Link between processes that write rows and those that run sweeps. The wiring decides on the channel."""

import time
from collections.abc import Callable, Iterator, Mapping
from secrets import token_hex

from structlog.contextvars import bound_contextvars

from hits.common import changes, clock, sweeps
from hits.common.channels import EVERYTHING, Channel, deliver, done, written
from hits.common.dispatcher import Dispatcher
from hits.common.pulses import write_pulse
from hits.common.sweeps import Sweep, SweepReport
from hits.common.watching.timings import Timing, timed

LONGEST_WAIT_S = 60.0
# So often a dispatcher writes down what it knows.
PULSE_S = 5.0
RUNS = Timing(
    name="crowd_sweep_run_seconds",
    words="Runs of sweeps, by the sweep and by how they ended: done or failed.",
    labels=("sweep", "outcome"),
)
_channel: Channel | None = None


def connect(channel: Channel) -> None:
    """Connect the channel: from now on, what this process commits wakes the sweeps that have read it."""
    global _channel  # noqa: PLW0603 - one for the whole process
    _channel = channel
    changes.tell_by(lambda tables: _send(written(tables)))


def channel() -> Channel | None:
    """Return the channel that was connected, for whoever reads what a dispatcher keeps there."""
    return _channel


def wake_all() -> None:
    """Wake every sweep, since a process may have died in the middle of any."""
    _send(EVERYTHING)


def run(name: str) -> None:
    """Run a sweep and report its result. One that failed is due again at once, that is, after its rest.

    All lines of the log about one run carry the same reference.
    """
    came = SweepReport(name=name, tables=frozenset(), due_in=0, has_failed=True)
    try:
        with bound_contextvars(sweep=name, reference=token_hex(6)), timed(RUNS, name) as outcome:
            clock.compare()
            came = sweeps.run(name)
            outcome.value = "done"
    finally:
        _send(done(came))


def dispatch(start: Callable[[Sweep], None], *, among: Mapping[str, Sweep]) -> Iterator[None]:
    """Dispatch for ever, one wait at a time. Every sweep is run first: all may have been missed."""
    if _channel is None:
        raise RuntimeError("No channel was connected.")
    listener = _channel.listen()
    dispatcher = Dispatcher(among, start=start)
    kept_at = float("-inf")
    while True:
        wait = dispatcher.start_due()
        for message in listener.wait(min(wait, LONGEST_WAIT_S)):
            deliver(message, dispatcher)
        if time.monotonic() - kept_at > PULSE_S:
            kept_at = time.monotonic()
            _channel.keep(write_pulse(dispatcher.pulse(at=time.time())))
        yield


def _send(message: str) -> None:
    if _channel is not None:
        _channel.send(message)

"""Who writes rows and who runs sweeps are brought together. By which channel, is decided in the wiring."""

from collections.abc import Callable, Iterator, Mapping

from hits.common import changes, clock, sweeps
from hits.common.channels import EVERYTHING, Channel, deliver, done, written
from hits.common.dispatcher import Dispatcher
from hits.common.sweeps import Done, Sweep

LONGEST_WAIT_S = 60.0
_channel: Channel | None = None


def connect(channel: Channel) -> None:
    """From now on what this process commits wakes the sweeps that have read it."""
    global _channel  # noqa: PLW0603 - one for the whole process
    _channel = channel
    changes.tell_by(lambda tables: _send(written(tables)))


def wake_all() -> None:
    """Somebody may have died in the middle of anything."""
    _send(EVERYTHING)


def run(name: str) -> None:
    """Run a sweep and tell what came of it. Who has failed is due again at once, that is, after its rest."""
    came = Done(name=name, tables=frozenset(), due_in=0)
    try:
        clock.compare()
        came = sweeps.run(name)
    finally:
        _send(done(came))


def dispatch(start: Callable[[Sweep], None], *, among: Mapping[str, Sweep]) -> Iterator[None]:
    """Goes on for ever, one wait at a time. Whoever begins has missed everything, and so all are run."""
    if _channel is None:
        raise RuntimeError("No channel was connected.")
    listener = _channel.listen()
    dispatcher = Dispatcher(among, start=start)
    while True:
        wait = dispatcher.start_due()
        for message in listener.wait(min(wait, LONGEST_WAIT_S)):
            deliver(message, dispatcher)
        yield


def _send(message: str) -> None:
    if _channel is not None:
        _channel.send(message)

"""The broker of the embedded form: a folder of files, as kombu keeps it, that outlives `kill -9`.

kombu writes its files in place: a process killed in the middle leaves a torn one, and a process that reads it
dies too.
"""

import time
from pathlib import Path
from queue import Empty
from threading import Condition
from typing import Any
from uuid import uuid4

import structlog
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

SCHEME = "crowdfiles"
log = structlog.get_logger()


class _Arrivals:
    """Counter of the messages that this process has sent, on which its readers can wait."""

    def __init__(self) -> None:
        self.number = 0
        self._changed = Condition()

    def add(self) -> None:
        with self._changed:
            self.number += 1
            self._changed.notify_all()

    def wait(self, seen: int, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.number != seen, timeout=seconds)


_arrivals = _Arrivals()


# kombu's stubs for these are outdated.
FileChannel: Any = filesystem.Channel
FileTransport: Any = filesystem.Transport


class Channel(FileChannel):  # type: ignore[misc]
    """A channel whose folders may be removed at any moment; it makes them again instead of crashing."""

    supports_fanout = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make_folders()

    def _make_folders(self) -> None:
        for folder in (self.data_folder_in, self.data_folder_out, self.control_folder):
            Path(folder).mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        """Write a message aside and move it into place, so that it is there whole or not at all."""
        self._make_folders()
        folder = Path(self.data_folder_out)
        stamp = time.time_ns()  # names sort by age
        written = folder / f"{uuid4().hex}.part"
        try:
            written.write_bytes(dumps(payload).encode())
            written.rename(folder / f"{stamp:020}_{uuid4().hex}.{queue}.msg")
        except OSError:  # a disk that is full is not filled further
            written.unlink(missing_ok=True)
            raise
        _arrivals.add()

    def _get(self, queue: str) -> Any:
        """Read the next message. A torn one is dropped: rows are the queue, and the next sweep finds them."""
        while True:
            try:
                return super()._get(queue)
            except ValueError:
                log.warning("broker.message_torn", queue=queue)
            except FileNotFoundError:
                log.warning("broker.folder_gone", queue=queue)
                self._make_folders()

    def _lookup(self, exchange: str, routing_key: str, default: str | None = None) -> list[str]:
        """Return the routing key as the queue's name, so no table has to be kept, torn, or lost."""
        return [routing_key]


class Transport(FileTransport):  # type: ignore[misc]
    """A transport whose senders wake the readers of the same process; other processes poll."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            seen = _arrivals.number
            try:
                self.cycle.get(self._deliver, timeout=timeout)
            except Empty:
                left = self.polling_interval if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError from None
                _arrivals.wait(seen, min(left, self.polling_interval))
            else:
                return


def register() -> None:
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"

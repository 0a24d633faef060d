"""The broker of the embedded form: a folder of files, as kombu keeps it, that outlives `kill -9`.

kombu writes its files in place: who dies in the middle leaves a torn one, and whoever reads it dies too.
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
    """How many messages this process has put in."""

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


# What kombu's stubs say of them is older than they are.
FileChannel: Any = filesystem.Channel
FileTransport: Any = filesystem.Transport


class Channel(FileChannel):  # type: ignore[misc]
    def _put(self, queue: str, payload: Any, **_: Any) -> None:
        """Written aside and moved into place: a message is there whole, or not at all."""
        folder = Path(self.data_folder_out)
        stamp = time.time_ns()  # names sort by age
        written = folder / f"{uuid4().hex}.part"
        written.write_bytes(dumps(payload).encode())
        written.rename(folder / f"{stamp:020}_{uuid4().hex}.{queue}.msg")
        _arrivals.add()

    def _get(self, queue: str) -> Any:
        """A message that cannot be read is gone: rows are the queue, and the next sweep finds them."""
        while True:
            try:
                return super()._get(queue)
            except ValueError:
                log.warning("broker.message_torn", queue=queue)

    def get_table(self, exchange: str) -> Any:
        try:
            return super().get_table(exchange)
        except ValueError:
            return []

    def _queue_bind(self, exchange: str, *args: Any) -> None:
        try:
            super()._queue_bind(exchange, *args)
        except ValueError:
            log.warning("broker.table_torn", exchange=exchange)
            self._exchange_file(exchange).unlink(missing_ok=True)
            super()._queue_bind(exchange, *args)


class Transport(FileTransport):  # type: ignore[misc]
    """Whoever puts a message in wakes the readers of the same process; others look now and then."""

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

"""Messages that tell dispatchers what processes wrote and did. A lost message only makes something later."""

import json
import os
import select
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from hits.common.dispatcher import Dispatcher
from hits.common.sweeps import SweepReport

# The least that a pipe holds; a reader that finds so much in it may have missed something.
FULL = 60_000
PULSE = "pulse.json"
EVERYTHING = json.dumps({"wake": "all"})


class Listener(Protocol):
    def wait(self, seconds: float) -> Iterator[str]:
        """Yield the messages that have come, after at most so many seconds."""
        ...


class Channel(Protocol):
    def send(self, message: str) -> None:
        """Send to all dispatchers that listen. Never raises: writing rows must not fail for it."""
        ...

    def listen(self) -> Listener: ...

    def keep(self, pulse: str) -> None:
        """Keep what a dispatcher knows, for other processes. Never raises."""
        ...

    def kept(self) -> str:
        """Return what was kept last; empty if nothing was, or nobody answers."""
        ...


def written(tables: set[str]) -> str:
    return json.dumps({"written": sorted(tables)})


def done(what: SweepReport) -> str:
    told = {"done": what.name, "tables": sorted(what.tables), "due_in": what.due_in}
    return json.dumps({**told, "has_failed": what.has_failed})


def deliver(message: str, dispatcher: Dispatcher) -> None:
    """Pass the message to the dispatcher. A torn one wakes every sweep, for it may have said anything."""
    try:
        known = json.loads(message)
    except ValueError:
        known = {}
    if "written" in known:
        dispatcher.hear_written(set(known["written"]))
    elif "done" in known:
        tables = frozenset(known["tables"])
        failed = known.get("has_failed", False)
        report = SweepReport(name=known["done"], tables=tables, due_in=known["due_in"], has_failed=failed)
        dispatcher.hear_done(report)
    else:
        dispatcher.wake_all()


class Pipes:
    """Channel between processes of one machine: a named pipe for each dispatcher, in a shared folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, message: str) -> None:
        with suppress(OSError):
            for path in self._folder.glob("*.pipe"):
                self._send_to(path, message.encode() + b"\n")

    def is_heard(self) -> bool:
        """Whether a dispatcher runs on this machine."""
        return any(map(_has_reader, self._folder.glob("*.pipe")))

    def listen(self) -> "PipeListener":
        return PipeListener(self._folder / f"{os.getpid()}.pipe")

    def keep(self, pulse: str) -> None:
        whole = self._folder / f"{os.getpid()}.new"
        with suppress(OSError):
            whole.write_text(pulse)
            whole.chmod(0o600)
            whole.replace(self._folder / PULSE)

    def kept(self) -> str:
        try:
            return (self._folder / PULSE).read_text()
        except OSError:
            return ""

    def _send_to(self, path: Path, line: bytes) -> None:
        try:
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody listens any more
            path.unlink(missing_ok=True)
            return
        try:
            with suppress(BlockingIOError):  # it is full, and its reader will see that
                os.write(pipe, line)
        finally:
            os.close(pipe)


def _has_reader(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


class PipeListener:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._pipe = _lay_pipe(path)
        self._rest = b""

    def wait(self, seconds: float) -> Iterator[str]:
        """Yield the messages. If the pipe was removed, make another, and yield a wake-up for everything."""
        if not self._path.exists():
            os.close(self._pipe)
            self._pipe = _lay_pipe(self._path)
            yield EVERYTHING
            return
        ready, _, _ = select.select([self._pipe], [], [], seconds)
        if not ready:
            return
        came = os.read(self._pipe, 1 << 20)
        *lines, self._rest = (self._rest + came).split(b"\n")
        yield from (line.decode() for line in lines)
        if len(came) >= FULL:
            yield EVERYTHING


def _lay_pipe(path: Path) -> int:
    """Make the pipe and open it for writing too: without any writer, it would be at its end all the time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK)

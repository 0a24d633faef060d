"""Processes that are started together and restarted when they die, none of them outliving its parent."""

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

import structlog

log = structlog.get_logger()
PR_SET_PDEATHSIG = 1
SHORTEST_LIFE_S = 2.0
LOOK_S = 0.1
STOP_S = 8  # whoever takes longer is killed, which is safe too


class Supervisor:
    """Keeper of processes until it is told to stop. They hold no state, so dying loses nothing."""

    def __init__(
        self, commands: Mapping[str, list[str]], *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._commands = commands
        self._environment = environment
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._due: dict[str, float] = {}
        self._is_stopping = False

    def run(
        self, *, is_ready: Callable[[], bool] = lambda: False, on_ready: Callable[[], None] = lambda: None
    ) -> None:
        """Run until SIGTERM or SIGINT. `on_ready` is called once, when the processes are ready."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        for name in self._commands:
            self._start(name)
        was_ready = False
        while not self._is_stopping:
            time.sleep(LOOK_S)
            if not was_ready and is_ready():
                was_ready = True
                on_ready()
            self._restart_dead()
        self._end_all()

    def _restart_dead(self) -> None:
        """Restart dead processes. One that dies at once has to wait: a broken set-up must not spin."""
        for name, process in list(self._running.items()):
            if process.poll() is not None and time.monotonic() >= self._due[name] and not self._is_stopping:
                log.warning("process.died", name=name, code=process.returncode)
                self._start(name)

    def _start(self, name: str) -> None:
        self._due[name] = time.monotonic() + SHORTEST_LIFE_S
        # No thread runs here, so the call before exec is safe.
        process = subprocess.Popen(
            self._commands[name],
            env=self._environment,
            preexec_fn=die_with_parent,  # noqa: PLW1509
        )
        self._running[name] = process
        log.info("process.started", name=name, pid=process.pid)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_stopping = True

    def _end_all(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(timeout=STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def die_with_parent() -> None:
    """Have this process terminated when its parent dies, even if the parent is killed outright (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextmanager
def held_back(*signals: signal.Signals) -> Iterator[None]:
    """Deliver these signals only after the block: an exception raised in the hooks of a fork is lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_afresh() -> None:
    """Unblock all signals before exec, so that a process does not go on with them held back."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    die_with_parent()

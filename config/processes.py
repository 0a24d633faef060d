"""The processes of the embedded form: started together, each restarted when it dies."""

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from types import FrameType
from urllib.parse import urlsplit

import structlog
from django.conf import settings

from hits.errors import CrowdError

log = structlog.get_logger()
PR_SET_PDEATHSIG = 1
SHORTEST_LIFE_S = 2.0
START_S = 120
STOP_S = 5  # whoever takes longer is killed, which is safe too


def web_command() -> list[str]:
    """One process of threads. It never imports torch."""
    port = urlsplit(settings.PUBLIC_URL).port or 80
    return [
        sys.executable, "-m", "gunicorn", "config.wsgi",
        "--bind", f"127.0.0.1:{port}",
        "--workers", "1",
        "--worker-class", "gthread",
        # A page may call our own marketplace, which another thread of this process answers.
        "--threads", "16",
        "--graceful-timeout", "4",
        "--keep-alive", "5",
        # The platform's parameters and the ticket make long addresses.
        "--limit-request-line", "8190",
        "--log-level", "warning",
        "--no-control-socket",
    ]  # fmt: skip


def background_command() -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), "background"]


class Supervisor:
    """Keeps its processes alive until it is told to stop. They hold no state, so dying loses nothing."""

    def __init__(self, commands: Mapping[str, list[str]]) -> None:
        self._commands = commands
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}
        self._stopping = False

    def run(self, *, on_ready: Callable[[], None] = lambda: None) -> None:
        """Until it is told to stop. What is done when the first page is answered is done once."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        for name in self._commands:
            self._start(name)
        is_ready = False
        while not self._stopping:
            time.sleep(0.2)
            if not is_ready and is_healthy():
                is_ready = True
                on_ready()
            for name, process in list(self._running.items()):
                if process.poll() is not None and not self._stopping:
                    log.warning("process.died", name=name, code=process.returncode)
                    self._start(name)
        self._end_all()

    def _start(self, name: str) -> None:
        """A process that dies at once waits a little, so that a broken set-up does not spin."""
        lived = time.monotonic() - self._started.get(name, 0.0)
        if name in self._started and lived < SHORTEST_LIFE_S:
            time.sleep(SHORTEST_LIFE_S - lived)
        self._started[name] = time.monotonic()
        # No thread runs here, so the call before exec is safe.
        process = subprocess.Popen(self._commands[name], preexec_fn=die_with_parent)  # noqa: PLW1509
        self._running[name] = process
        log.info("process.started", name=name, pid=process.pid)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True

    def _end_all(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(timeout=STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_until_healthy(process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while not is_healthy():
        if process.poll() is not None:
            raise CrowdError(f"The server ended with code {process.returncode} before it answered.")
        if time.monotonic() > deadline:
            raise CrowdError(f"The server did not answer within {START_S} seconds.")
        time.sleep(0.1)


def is_healthy() -> bool:
    site = urlsplit(settings.PUBLIC_URL)
    connection = HTTPConnection("127.0.0.1", site.port or 80, timeout=5)
    try:
        connection.request("GET", "/health/", headers={"Host": site.netloc})
        return connection.getresponse().status == HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def held_back(*signals: signal.Signals) -> Iterator[None]:
    """What comes meanwhile is delivered afterwards: an exception raised in the hooks of a fork is lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_afresh() -> None:
    """Before exec: a process started with signals held back must not go on so."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    die_with_parent()


def die_with_parent() -> None:
    """Killing the supervisor outright must not leave its processes behind (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

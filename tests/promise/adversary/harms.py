"""Harm to processes, databases, the broker and the disk. Each kind is a method of `Harm`."""

import resource
import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import psycopg

from tests.config.processes import manage
from tests.promise.adversary.stage import Stage

TERMINATE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
)
VARIABLES = {"default": "DATABASE_URL", "marketplace": "MARKETPLACE_DATABASE_URL"}
LOCK_S = 25


class Harm:
    """The harm of one run. A lasting one is undone by itself after its time, or by `end` at once."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._over = threading.Event()
        self._lasting: list[threading.Thread] = []
        self.done: Counter[str] = Counter()
        self.killed: Counter[str] = Counter()

    def do(self, what: str, **given: float | str) -> None:
        act: Callable[..., None] = getattr(self, what)
        self.done[what] += 1
        act(**given)

    def end(self) -> None:
        self._over.set()
        for thread in self._lasting:
            thread.join(timeout=LOCK_S)

    def kill(self, *, victim: int, pause_s: float) -> None:
        names = self._stage.running()
        name = names[victim % len(names)]
        self.killed[name] += 1
        self._stage.kill(name)
        self._over.wait(pause_s)
        self._stage.start(name)

    def second(self) -> None:
        """Start another background process, as if the product were started twice by mistake."""
        self._twin("second")

    def wrong_clock(self, *, ahead_s: float) -> None:
        self._twin("wrong", ahead_s=ahead_s)

    def full_disk(self, *, seconds: float, room: int) -> None:
        """Let no file of ours grow beyond so many bytes: every write past them fails, for a while.

        This harms the embedded form alone: the disk of a database server is not ours to fill.
        """
        self._last(lambda: self._fill(room), lambda: self._fill(resource.RLIM_INFINITY), seconds=seconds)

    def db_lock(self, *, seconds: float) -> None:
        """Hold a write lock on our database file for this long, as another program might."""
        database = sqlite3.connect(self._stage.folder / "crowd.sqlite3", timeout=5, check_same_thread=False)

        def hold() -> None:
            with suppress(sqlite3.OperationalError):
                database.execute("BEGIN IMMEDIATE")

        self._last(hold, database.close, seconds=seconds)

    def db_cut(self, *, database: str) -> None:
        """Cut all connections to the database."""
        url = self._stage.environ[VARIABLES[database]]
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(TERMINATE, [urlsplit(url).path.lstrip("/")])

    def broker_folder(self, *, name: str) -> None:
        """Delete a folder of the broker with its messages."""
        shutil.rmtree(self._stage.folder / "broker" / name, ignore_errors=True)

    def broker_cut(self, *, seconds: float) -> None:
        broker = self._stage.broker
        assert broker
        self._last(broker.shut, broker.open, seconds=seconds)

    def broker_flush(self) -> None:
        self._stage.flush_broker()

    def restored(self, *, seconds: float) -> None:
        """Restore our side to what it was so many seconds before. The marketplace and people go on."""
        copy = self._stage.folder / "copy.tar"
        copy.unlink(missing_ok=True)
        manage("backup", str(copy), environ=self._stage.environ)
        self._over.wait(seconds)
        running = [name for name in self._stage.running() if name != "marketplace"]
        for name in running:
            self._stage.kill(name)
        options = ("--replace", "--only", "default", "--although-running")
        manage("restore", str(copy), *options, environ=self._stage.environ)
        for name in running:
            self._stage.start(name)

    def _twin(self, name: str, *, ahead_s: float = 0) -> None:
        if name in self._stage.running():
            self._stage.kill(name)
        self._stage.add_twin(name, of=self._stage.parts[0], ahead_s=ahead_s)
        self._stage.start(name)

    def _fill(self, room: int) -> None:
        for name in self._stage.running():
            for pid in self._stage.pids(name) if name != "marketplace" else ():
                with suppress(ProcessLookupError):
                    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, most))

    def _last(self, begin: Callable[[], object], undo: Callable[[], object], *, seconds: float) -> None:
        def last() -> None:
            begin()
            self._over.wait(seconds)
            undo()

        thread = threading.Thread(target=last, name="harm", daemon=True)
        self._lasting.append(thread)
        thread.start()

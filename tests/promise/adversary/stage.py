"""Both sides as real processes, with the adversary's proxies between them; our side begins again each run."""

import json
import os
import select
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Identifier

from hits.common.supervising import die_with_parent
from tests.config.processes import ROOT, free_port, lay_databases, manage, scratch_environ, wait_until
from tests.config.servers import VARIABLES, made_on_server
from tests.promise.adversary.proxy import Proxy
from tests.promise.adversary.relay import Relay
from tests.promise.test_kill import Deployment, answers

CLOCKS = Path(__file__).parent / "clocks"
FOLDERS = ("broker/messages", "broker/control", "broker/sweeps", "static")
# The database at the broker that the environment names; other tests use its other numbers.
REDIS_NUMBER = 12
# Python does not notice a full disk when it writes compiled modules, which other processes read.
UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
ROOMS = ("config", "crowd", "hits", "qualifications", "scoring")
LOOK_S = 0.2
HAND_S = 180


class Hand:
    """A process that acts for our people and for the marketplace's workers, as it is told."""

    def __init__(self, environ: dict[str, str], log: Path, *, tree: Path = ROOT) -> None:
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.promise.adversary.hands"],
                cwd=tree,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                preexec_fn=die_with_parent,  # noqa: PLW1509  # a run that is broken off leaves none behind
            )

    def do(self, what: str, **given: Any) -> Any:
        """Do an act, and return its result or a person's failure. A hand that hangs ends the run."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"do": what, "given": given}).encode() + b"\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], HAND_S)
        line = self._process.stdout.readline() if ready else b""
        assert line, f"The hand did not answer when it was asked to {what}."
        return json.loads(line)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=10)


class Stage(Deployment):
    """A deployment whose processes restart when they die, and can have twins with wrong clocks."""

    def __init__(self, environ: dict[str, str], folder: Path) -> None:
        super().__init__(environ, folder)
        self.folder = folder
        self.is_embedded = "DATABASE_URL" not in environ
        self.proxy = Proxy(port=urlsplit(environ["CROWD_MARKETPLACE_URL"]).port or 80)
        self.broker: Relay | None = None
        self.redis_url = ""
        self.died: Counter[str] = Counter()
        self._minded: set[str] = set()
        self._environs: dict[str, dict[str, str]] = {}
        self._lock = threading.RLock()
        # Processes die with the thread that started them, and a harm's thread does not live long.
        self._starter = ThreadPoolExecutor(1)

    # Processes.

    def add_twin(self, name: str, *, of: str, ahead_s: float = 0) -> None:
        """Add a second process of a kind, on a machine whose clock is wrong by so much."""
        self._commands[name] = self._commands[of]
        wrong = {"PYTHONPATH": str(CLOCKS), "ADVERSARY_AHEAD_S": str(ahead_s)} if ahead_s else {}
        self._environs[name] = self.environ | wrong

    def start(self, name: str) -> None:
        with self._lock:
            self._running[name] = self._starter.submit(self._start, name).result()
            self._minded.add(name)

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                self._commands[name],
                cwd=ROOT,
                env=self._environs.get(name, self.environ) | UNCOMPILED,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509  # as above
            )

    def kill(self, name: str) -> None:
        with self._lock:
            self._minded.discard(name)
            with suppress(ProcessLookupError):
                super().kill(name)

    def kill_ours(self) -> None:
        for name in list(self._running):
            if name != "marketplace":
                self.kill(name)

    def running(self) -> list[str]:
        with self._lock:
            return sorted(self._minded)

    def pids(self, name: str) -> list[int]:
        """Ids of the process and of all that share its session."""
        with self._lock:
            leader = self._running[name].pid
        return [leader, *(pid for pid in _all_pids() if pid != leader and _session_of(pid) == leader)]

    def mind(self) -> None:
        """Restart processes that died by themselves, as a supervisor does."""
        with self._lock:
            for name in list(self._minded):
                if self._running[name].poll() is not None:
                    self.died[name] += 1
                    self.start(name)

    def end(self) -> None:
        super().end()
        self._starter.shutdown()

    # Beginnings and ends.

    def begin_anew(self) -> None:
        """Begin again: our database as it was created, an empty broker, and logs of this run alone."""
        self.kill_ours()
        self.mind()
        for log in self.folder.glob("*.log"):
            os.truncate(log, 0)
        self.died.clear()
        self.proxy.forget()
        if self.is_embedded:
            self.lay_files()
        else:
            self._lay_on_server()
            self.flush_broker()
        self.start_ours()

    def start_ours(self) -> None:
        """Start our processes, as `serve` or the deployed form's supervisor does."""
        self.make_folders()
        if self.broker:
            self.broker.open()
        for name in ("web", *self.parts):
            self.start(name)

    def wait_until_well(self) -> None:
        for url in (f"{self.url}/health/", f"{self.environ['CROWD_MARKETPLACE_URL']}/"):
            wait_until(lambda: answers(url), seconds=90, what=f"{url} answers")  # noqa: B023

    def make_folders(self) -> None:
        for name in FOLDERS[: 4 if self.is_embedded else 0]:
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def lay_files(self) -> None:
        shutil.rmtree(self.folder / "broker", ignore_errors=True)
        for end in ("-wal", "-shm"):
            (self.folder / f"crowd.sqlite3{end}").unlink(missing_ok=True)
        shutil.copy(self.folder / "laid.sqlite3", self.folder / "crowd.sqlite3")

    def _lay_on_server(self) -> None:
        server, _, name = self.environ["DATABASE_URL"].rpartition("/")
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
            laid = Identifier(f"{name}_laid")
            connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), laid))

    def flush_broker(self) -> None:
        from redis import Redis  # noqa: PLC0415 - slow to load, and the embedded form has none

        with Redis.from_url(self.redis_url) as client:
            client.flushdb()


@contextmanager
def staged(form: str, folder: Path) -> Iterator[Stage]:
    """Yield a stage with a running marketplace; our side waits for `begin_anew`."""
    folder.mkdir(parents=True, exist_ok=True)
    for room in ROOMS:  # once, for all processes, which must not compile
        compile_dir(ROOT / room, quiet=2)
    with ExitStack() as stack:
        environ = _environ(folder)
        if form == "embedded":
            stage = Stage(environ, folder)
            lay_databases(folder)
            _copy_whole(folder)
        else:
            stage = stack.enter_context(_on_server(environ, folder))
        stack.callback(stage.proxy.server_close)
        stack.callback(stage.proxy.shutdown)
        stack.callback(stage.end)
        stage.make_folders()
        stage.start("marketplace")
        yield stage


def _environ(folder: Path) -> dict[str, str]:
    return scratch_environ(
        folder,
        CROWD_PUBLIC_URL=f"http://127.0.0.1:{free_port()}",
        CROWD_MARKETPLACE_URL=f"http://localhost:{free_port()}",
        CROWD_MARKETPLACE_KEY_RATE="0",
        CROWD_MARKETPLACE_WORKER_RATE="0",
        CROWD_SURVEY_S="10",
        CROWD_RIVAL="nobody",  # no models are loaded: nothing in this test asks any
    )


def _copy_whole(folder: Path) -> None:
    """Copy the database, after writing into it what migrations left in the write-ahead log."""
    import sqlite3  # noqa: PLC0415 - of this form alone

    with sqlite3.connect(folder / "crowd.sqlite3") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    shutil.copy(folder / "crowd.sqlite3", folder / "laid.sqlite3")


@contextmanager
def _on_server(environ: dict[str, str], folder: Path) -> Iterator[Stage]:
    server = urlsplit(os.environ["REDIS_URL"])
    broker = Relay(host=server.hostname or "127.0.0.1", port=server.port or 6379)
    with made_on_server(*VARIABLES) as urls:
        environ |= {VARIABLES[database]: url for database, url in urls.items()}
        environ["REDIS_URL"] = f"redis://127.0.0.1:{broker.port}/{REDIS_NUMBER}"
        environ |= dict(
            line.removeprefix("export ").split("=", 1)
            for line in manage("make_keys", environ=scratch_environ(folder)).replace("'", "").splitlines()
        )
        for database in urls:
            manage("migrate", "--database", database, "--verbosity", "0", environ=environ)
        with _template(urls["default"]):
            stage = Stage(environ, folder)
            stage.broker, stage.redis_url = broker, f"{server._replace(path='').geturl()}/{REDIS_NUMBER}"
            try:
                yield stage
            finally:
                stage.end()
                broker.close()


@contextmanager
def _template(url: str) -> Iterator[None]:
    server, _, name = url.rpartition("/")
    laid = Identifier(f"{name}_laid")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(laid, Identifier(name)))
        try:
            yield
        finally:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(laid))


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0

"""The deployed form on several hosts, each of which can be killed, cut off and given another version."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from hits.common.supervising import die_with_parent
from tests.config.processes import ROOT, manage, scratch_environ, wait_until
from tests.config.servers import VARIABLES, made_on_server
from tests.promise.adversary.relay import Relay
from tests.promise.hosts.network import GATE, Host, hosts
from tests.promise.test_kill import answers

PORT = 8000
REDIS_NUMBER = 13
CELERY = [sys.executable, "-m", "celery", "--app", "config"]
QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"]
WORKER = [*CELERY, "worker", "--queues", "default,money", "--pool", "threads", "--concurrency", "3", *QUIET]
RIVAL = [*CELERY, "worker", "--queues", "rival", "--pool", "solo", *QUIET]
WEB = [
    sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"0.0.0.0:{PORT}", "--workers", "1",
    "--worker-class", "gthread", "--threads", "8", "--log-level", "warning", "--no-control-socket",
]  # fmt: skip
PROCESSES = {
    "web": {"web": WEB},
    "market": {"market": WEB, "sweep": [sys.executable, "manage.py", "marketplace_sweep"]},
    "back": {"worker": WORKER, "beat": [*CELERY, "beat", "--loglevel", "WARNING", "--pidfile="]},
    "back2": {"worker": WORKER},
    "rival": {"rival": RIVAL},
    "rival2": {"rival": RIVAL},
}


class Fleet:
    def __init__(self, environ: dict[str, str], made: Mapping[str, Host], folder: Path, tree: Path) -> None:
        self.environ = environ
        self.hosts = made
        self.folder = folder
        self._trees = dict.fromkeys(made, tree)
        self._running: dict[tuple[str, str], subprocess.Popen[bytes]] = {}
        # Processes die with the thread that started them, and a harm's thread does not live long.
        self._starter = ThreadPoolExecutor(1)

    def start(self, host: str) -> None:
        self._starter.submit(self._start, host).result()

    def _start(self, host: str) -> None:
        for name, command in PROCESSES[host].items():
            with (self.folder / f"{host}-{name}.log").open("ab") as log:
                self._running[host, name] = subprocess.Popen(
                    self.hosts[host].within(command),
                    cwd=self._trees[host],
                    env=self._environ(host),
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=die_with_parent,  # noqa: PLW1509 - a run that is broken off leaves none behind
                )

    def kill(self, host: str) -> None:
        """Kill everything on a host at once, as when its power fails."""
        for process in self._on(host):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait(timeout=10)

    def upgrade(self, host: str, tree: Path) -> None:
        """Stop a host as a service manager does, and start it with another version."""
        for process in self._on(host):
            process.terminate()
        for process in self._on(host):
            try:
                process.wait(timeout=40)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait(timeout=10)
        self._trees[host] = tree
        self.start(host)

    def wait_until_well(self) -> None:
        for variable in ("CROWD_PUBLIC_URL", "CROWD_MARKETPLACE_URL"):
            page = f"{self.environ[variable]}/{'health/' if 'PUBLIC' in variable else ''}"
            wait_until(lambda: answers(page), seconds=120, what=f"{page} answers")  # noqa: B023

    def end(self) -> None:
        for host in self.hosts:
            self.kill(host)
        self._starter.shutdown()

    def _on(self, host: str) -> list[subprocess.Popen[bytes]]:
        return [process for (place, _), process in self._running.items() if place == host]

    def _environ(self, host: str) -> dict[str, str]:
        data = self.folder / host  # nothing on a disk is shared but the pictures, of which there are none
        data.mkdir(exist_ok=True)
        alone = {"CROWD_MARKETPLACE_ALONE": "true"} if host == "market" else {}
        return {**self.environ, **alone, "CROWD_DATA_DIR": str(data), "PYTHONPATH": str(self._trees[host])}


@contextmanager
def fleet(folder: Path, *, tree: Path) -> Iterator[Fleet]:
    """Yield a running fleet of this version, with databases and broker behind relays on the bridge."""
    with ExitStack() as stack:
        made = stack.enter_context(hosts(*PROCESSES))
        urls = stack.enter_context(made_on_server(*VARIABLES))
        database, broker = urlsplit(os.environ["DATABASE_URL"]), urlsplit(os.environ["REDIS_URL"])
        behind = {}
        for server, port in ((database, 5432), (broker, 6379)):
            relay = Relay(host=server.hostname or "127.0.0.1", port=server.port or port, listen=GATE)
            stack.callback(relay.close)
            behind[server.scheme] = relay.port
        # The marketplace frames pages of https alone, and of loopback: here the relay is the proxy in front.
        front = Relay(host=made["web"].address, port=PORT)
        stack.callback(front.close)
        environ = scratch_environ(
            folder / "hand",
            CROWD_PUBLIC_URL=f"http://127.0.0.1:{front.port}",
            CROWD_MARKETPLACE_URL=f"http://{made['market'].address}:{PORT}",
            CROWD_PLAY_URL=f"http://play.example.org:{PORT}",
            CROWD_MARKETPLACE_CONTENT_URL=f"http://*.content.example.org:{PORT}",
            CROWD_SURVEY_S="10",
            REDIS_URL=f"redis://{GATE}:{behind[broker.scheme]}/{REDIS_NUMBER}",
        )
        user = f"{database.username}:{database.password}@" if database.password else f"{database.username}@"
        for alias, url in urls.items():
            name = url.rpartition("/")[2]
            environ[VARIABLES[alias]] = f"{database.scheme}://{user}{GATE}:{behind[database.scheme]}/{name}"
        environ |= dict(
            line.split("=", 1)
            for line in manage("make_keys", environ=scratch_environ(folder / "keys")).splitlines()
        )
        migrate(environ, tree=tree)
        running = Fleet(environ, made, folder, tree)
        stack.callback(running.end)
        for host in made:
            running.start(host)
        running.wait_until_well()
        yield running


def migrate(environ: Mapping[str, str], *, tree: Path = ROOT) -> None:
    for alias in VARIABLES:
        command = [sys.executable, "manage.py", "migrate", "--database", alias, "--verbosity", "0"]
        subprocess.run(command, cwd=tree, env={**environ, "PYTHONPATH": str(tree)}, check=True)

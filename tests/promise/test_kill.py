"""`kill -9` of the web, the worker and the beat in the middle of a launch: every HIT exists, each once."""

import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, Request, build_opener

import psycopg
import pytest

from hits.common.supervising import die_with_parent
from tests.config.processes import ROOT, free_port, lay_databases, manage, scratch_environ, wait_until
from tests.config.servers import VARIABLES, made_on_server

HITS = 500
ROUNDS = int(os.environ.get("KILLS", "20"))
KILLS_A_LAUNCH = 6
PATIENCE_S = 240
PREPARE = f"""
from decimal import Decimal
from crowd.provisioning import account_values, provision
from hits.models import Account, User
from tests.factories import make_association, make_batch, make_study
made = provision(requester="kill", deposit=Decimal(1000))
account = Account.objects.create(**account_values(made, name="kill"), send_rate=60)
study = make_study()
make_association(study=study)
batch = make_batch(study=study, account=account, hits_wanted={HITS}, assignments_per_hit=1)
User.objects.create_superuser("researcher", password="a password")
print(batch.pk)
"""
LOOK = """
import json
from collections import Counter
from hits.providers.gateway.registry import provider_for
from hits.models import HIT, Account, BatchEvent, Study
account = Account.objects.get()
theirs = Counter((hit.annotation, hit.external_id) for hit in provider_for(account).list_hits())
ours = Counter((f"crowd:{hit.public_id}", hit.external_id) for hit in HIT.objects.all())
study = Study.objects.get()
print(json.dumps({
    "made": sum(theirs.values()), "annotations": len({name for name, _ in theirs}), "same": theirs == ours,
    "launched": BatchEvent.objects.filter(kind="launched").count(),
    "reserved": str(study.reserved), "cost": str(study.batches.get().cost.total),
}))
"""
SENT = "SELECT count(*) FROM hits_hit WHERE status = 'open'"
INTENDED = "SELECT count(*) FROM hits_hit"


class Deployment:
    """The marketplace, and our own processes, each of which can be killed and started again."""

    def __init__(self, environ: dict[str, str], folder: Path) -> None:
        self.environ = environ
        self.url = environ["CROWD_PUBLIC_URL"]
        self._folder = folder
        port = urlsplit(self.url).port
        market = environ["CROWD_MARKETPLACE_URL"].rpartition(":")[2]
        celery = [sys.executable, "-m", "celery", "--app", "config"]
        self._commands = {
            "marketplace": [sys.executable, "manage.py", "marketplace", "--port", market],
            "web": [
                sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}",
                "--workers", "1", "--threads", "4", "--log-level", "warning", "--no-control-socket",
            ],
            "worker": [
                *celery, "worker", "--queues", "default,money", "--pool", "threads", "--concurrency", "3",
                "--loglevel", "WARNING",
            ],
            "beat": [*celery, "beat", "--loglevel", "WARNING", "--pidfile="],
            "background": [sys.executable, "manage.py", "background"],
        }  # fmt: skip
        self.parts = ("worker", "beat") if "DATABASE_URL" in environ else ("background",)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def add(self, name: str, *manage_command: str) -> None:
        """Add another process of ours, to be started and killed by its name."""
        self._commands[name] = [sys.executable, "manage.py", *manage_command]

    def start(self, name: str) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                self._commands[name],
                cwd=ROOT,
                env=self.environ,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509  # a run that is broken off leaves none behind
            )

    def kill(self, name: str) -> None:
        """Kill the process and all that it started, at once and without a signal that could be handled."""
        process = self._running[name]
        os.killpg(process.pid, 9)
        process.wait(timeout=10)

    def kill_and_restart(self, name: str) -> None:
        self.kill(name)
        self.start(name)

    def wait_until_sent(self, hits: int) -> None:
        wait_until(lambda: self.count(SENT) >= hits, seconds=PATIENCE_S, what=f"{hits} HITs are sent")

    def end(self) -> None:
        for name in self._running:
            self.kill(name)

    def count(self, query: str) -> int:
        """Ask the database directly: a manage.py command takes longer than a part of the launch."""
        if url := self.environ.get("DATABASE_URL"):
            with psycopg.connect(url) as server:
                row: Any = server.execute(query).fetchone()
        else:
            path = Path(self.environ["CROWD_DATA_DIR"]) / "crowd.sqlite3"
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
                row = database.execute(query).fetchone()
        return int(row[0])

    def shell(self, script: str) -> str:
        return manage("shell", "--no-imports", "--command", script, environ=self.environ).strip()


class Researcher:
    """A client that signs in to the admin and presses Launch, again if the page did not answer."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._opener: OpenerDirector = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))

    def sign_in(self) -> None:
        self.press("/admin/login/", username="researcher", password="a password", next="/health/")

    def press(self, path: str, **fields: str) -> str:
        page = self._opener.open(self._url + path, timeout=20).read().decode()
        hidden = dict(re.findall(r'<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"', page))
        assert hidden, page[:500]
        body = urlencode({**hidden, **fields}).encode()
        answer: str = self._opener.open(Request(self._url + path, body), timeout=20).read().decode()  # noqa: S310
        return answer


@contextmanager
def deployed(
    folder: Path, *, databases: dict[str, str], parts: Sequence[str] | None = None
) -> Iterator[Deployment]:
    """Yield a deployment of all processes, or of the marketplace and the given parts."""
    ours, market = free_port(), free_port()
    environ = scratch_environ(
        folder,
        CROWD_PUBLIC_URL=f"http://127.0.0.1:{ours}",
        CROWD_MARKETPLACE_URL=f"http://localhost:{market}",
        CROWD_SECOND_FACTOR="off",  # the researcher signs in by a password alone
        **databases,
    )
    if databases:
        environ |= dict(
            line.removeprefix("export ").split("=", 1)
            for line in manage("make_keys", environ=scratch_environ(folder)).replace("'", "").splitlines()
        )
    for name in ("broker/messages", "broker/control", "static"):
        (folder / name).mkdir(parents=True)
    if databases:
        manage("migrate", "--verbosity", "0", environ=environ)
        manage("migrate", "--database", "marketplace", "--verbosity", "0", environ=environ)
    else:
        lay_databases(folder)
    deployment = Deployment(environ, folder)
    try:
        for name in ("marketplace", *(("web", *deployment.parts) if parts is None else parts)):
            deployment.start(name)
        if parts is None:
            wait_until(lambda: answers(f"{deployment.url}/health/"), seconds=90, what="the web answers")
        yield deployment
    finally:
        deployment.end()


def answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def server_databases() -> Iterator[dict[str, str]]:
    """Make two databases on the server of this run for one round, and drop them after it."""
    redis = os.environ["REDIS_URL"].rpartition("/")[0] + "/11"
    with made_on_server(*VARIABLES) as urls:
        yield {VARIABLES[database]: url for database, url in urls.items()} | {"REDIS_URL": redis}


def launch_under_fire(deployment: Deployment, *, seed: int) -> dict[str, Any]:
    """Kill the web during the launch request; then, again and again, a random process during the launch."""
    chance = random.Random(seed)
    batch = int(deployment.shell(PREPARE).splitlines()[-1])
    pressing = threading.Thread(target=press_until_launched, args=(deployment, batch))
    pressing.start()
    time.sleep(chance.uniform(0, 1))
    deployment.kill_and_restart("web")
    victims = [chance.choice(("web", *deployment.parts)) for _ in range(KILLS_A_LAUNCH)]
    for victim in (*deployment.parts, *victims):
        reached = deployment.count(SENT) + chance.randrange(HITS // (2 * KILLS_A_LAUNCH))
        deployment.wait_until_sent(min(reached, HITS))
        deployment.kill_and_restart(victim)
    deployment.wait_until_sent(HITS)
    pressing.join()
    seen: dict[str, Any] = json.loads(deployment.shell(LOOK).splitlines()[-1])
    return seen


def press_until_launched(deployment: Deployment, batch: int) -> None:
    """Press Launch; if no answer came, look whether it was launched, and press again if not."""
    for _ in range(40):
        try:
            researcher = Researcher(deployment.url)
            researcher.sign_in()
            researcher.press(f"/admin/hits/batch/{batch}/launch/")
        except (URLError, OSError, AssertionError):
            time.sleep(0.5)
            if deployment.count(INTENDED):
                return
        else:
            return


def assert_each_once(seen: dict[str, Any]) -> None:
    assert (seen["made"], seen["annotations"], seen["same"]) == (HITS, HITS, True), seen
    assert (seen["launched"], seen["reserved"]) == (1, seen["cost"]), seen


@pytest.mark.pure  # its databases are files of its own
def test_killing_processes_of_the_embedded_databases_loses_no_hit(tmp_path: Path) -> None:
    with deployed(tmp_path, databases={}) as deployment:
        assert_each_once(launch_under_fire(deployment, seed=1))


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_killing_processes_of_the_deployed_form_loses_no_hit(tmp_path: Path) -> None:
    with server_databases() as databases, deployed(tmp_path, databases=databases) as deployment:
        assert_each_once(launch_under_fire(deployment, seed=2))


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_killing_processes_again_and_again_loses_no_hit(tmp_path: Path, seed: int) -> None:
    with server_databases() as databases, deployed(tmp_path, databases=databases) as deployment:
        assert_each_once(launch_under_fire(deployment, seed=seed))

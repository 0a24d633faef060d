"""A Dallinger experiment on its own server, with a database and a queue, from its launch to the bonus."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from urllib.request import Request, urlopen

import psycopg
import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.models import HIT, BonusPayment
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.config.processes import free_port, is_answering, wait_until
from tests.config.servers import made_on_server
from tests.conftest import Sites
from tests.foreign import working
from tests.foreign.driving import PROGRAMS, environ_of
from tests.foreign.installing import install_python, without
from tests.needs import leave_out

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.needs_uv,
    pytest.mark.needs_chromium,
    pytest.mark.needs_postgres,
    pytest.mark.needs_redis,
]
# Dallinger's worker calls rq by its second version, and asks for no version.
WORKING_QUEUE = "rq<3"
EXPERIMENT = PROGRAMS / "dallinger_experiment"
# As its commands for a deployment do it: what the server runs is the experiment with Dallinger's own files.
ASSEMBLE = """
from dallinger.utils import setup_experiment
print(setup_experiment(lambda *said, **how: None, debug=True, local_checks=False)[1])
"""


@dataclass(frozen=True, kw_only=True)
class Server:
    url: str
    database: str

    def participants(self) -> list[tuple[str, str, float]]:
        """Worker, assignment and bonus of those whose bonus Dallinger has paid."""
        with psycopg.connect(self.database) as connection:
            return connection.execute(
                "SELECT worker_id, assignment_id, bonus FROM participant WHERE status = 'approved'"
            ).fetchall()


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dallinger_server")
    packages = ("dallinger", WORKING_QUEUE, "psycopg2-binary")
    return install_python(folder, *packages, instead=without("psycopg2")).parent


@pytest.fixture
def services(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A database, and a Redis in which Dallinger keeps its queue and its HIT under fixed names."""
    if not shutil.which("redis-server"):
        leave_out("no redis-server")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    redis = ["redis-server", *options]
    with (
        made_on_server("dallinger") as made,
        running(redis, folder=tmp_path, environ=dict(os.environ), log=tmp_path / "redis.txt"),
    ):
        yield {"DATABASE_URL": made["dallinger"], "REDIS_URL": f"redis://127.0.0.1:{port}"}


@pytest.fixture
def environ(
    services: dict[str, str], proxy: Proxy, credentials: Credentials, sites: Sites, tmp_path: Path
) -> dict[str, str]:
    return environ_of(
        credentials,
        home=tmp_path,
        HTTPS_PROXY=proxy.url,
        AWS_CA_BUNDLE=str(proxy.authority.bundle),
        MARKETPLACE=sites.marketplace,
        HOST="127.0.0.1",
        PORT=str(free_port()),
        FLASK_SECRET_KEY="secret",
        SKIP_DEPENDENCY_CHECK="1",
        **services,
    )


@contextmanager
def running(command: list[str], *, folder: Path, environ: dict[str, str], log: Path) -> Iterator[None]:
    with (
        log.open("w") as said,
        subprocess.Popen(command, cwd=folder, env=environ, stdout=said, stderr=said) as process,
    ):
        yield
        process.terminate()


@pytest.fixture
def experiment(commands: Path, environ: dict[str, str], sweeping: None, tmp_path: Path) -> Iterator[Server]:
    """The experiment's web server and its worker, running."""
    environ["PATH"] = f"{commands}:{environ['PATH']}"
    folder = assemble(commands / "python", environ=environ, folder=tmp_path / "experiment")
    web, worker = str(commands / "dallinger_heroku_web"), str(commands / "dallinger_heroku_worker")
    with (
        running([web], folder=folder, environ=environ, log=tmp_path / "web.txt"),
        running([worker], folder=folder, environ=environ, log=tmp_path / "worker.txt"),
    ):
        server = Server(url=f"http://127.0.0.1:{environ['PORT']}", database=environ["DATABASE_URL"])
        wait_until(lambda: is_answering(f"{server.url}/robots.txt"), seconds=60, what="Dallinger answers")
        yield server
    shutil.rmtree(folder.parent, ignore_errors=True)


def assemble(python: Path, *, environ: dict[str, str], folder: Path) -> Path:
    """Copy the experiment to the folder; where Dallinger has put it together with its own files."""
    shutil.copytree(EXPERIMENT, folder)
    done = subprocess.run(
        [python, "-P", "-c", ASSEMBLE], cwd=folder, env=environ, stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(done.stdout.split()[-1])


def test_experiment_on_its_own_server_is_launched_worked_on_approved_and_paid(
    experiment: Server, page: Page, sites: Sites
) -> None:
    with urlopen(Request(f"{experiment.url}/launch", method="POST")) as answer:  # noqa: S310  loopback
        assert json.load(answer)["status"] == "success"
    hit = HIT.objects.get()

    take_part(page, sites=sites)

    wait_until(lambda: experiment.participants() != [], seconds=60, what="Dallinger pays")
    assignment = hit.assignments.get()
    assert experiment.participants() == [(assignment.worker.external_id, assignment.external_id, 0.25)]
    assert hit.hit_type.title.startswith("Bartlett (")
    assert BonusPayment.objects.get().amount == Decimal("0.25")


def take_part(page: Page, *, sites: Sites) -> None:
    preview = working.preview(page, sites=sites)[1]
    expect(preview.get_by_text("Call for participants")).to_be_visible()
    frame = working.accept(page)
    with page.expect_popup() as opened:
        frame.get_by_role("button", name="Begin Experiment").click()
    window = opened.value
    window.get_by_role("button", name="I agree").click()
    window.get_by_role("button", name="Begin the task").click()
    window.locator("#difficulty").select_option("7")
    window.get_by_role("button", name="Continue").click()
    frame.get_by_role("button", name="Complete HIT").click()
    working.expect_submitted(page, status="Approved")  # at once, as Dallinger posts it

"""`manage.py marketplace`: what it serves, what it restarts, and what it leaves behind."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from crowd.marketplace.tools.conformance.browser import Answer, Browser
from tests.config.processes import OURS, ROOT, lay_databases, scratch_environ, tree, wait_until

pytestmark = pytest.mark.pure  # starts processes with databases of their own


@dataclass(frozen=True, kw_only=True)
class Running:
    process: "subprocess.Popen[bytes]"
    port: int
    log: Path

    def get(self, path: str, *, host: str = "localhost") -> Answer:
        return Browser(cookies=False).get(f"http://{host}:{self.port}{path}")

    def is_healthy(self) -> bool:
        try:
            return self.get("/health/").status == 200
        except OSError:
            return False

    def children(self) -> dict[str, int]:
        """Ids of the processes that it supervises, by what they run."""
        found: dict[str, int] = {}
        for pid in tree(self.process.pid)[1:]:
            command = Path(f"/proc/{pid}/cmdline").read_text()
            name = "sweep" if "marketplace_sweep" in command else "web"
            found.setdefault(name, pid)
        return found


@contextmanager
def marketplace(folder: Path, *arguments: str, **environ: str) -> Iterator[Running]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    log = folder / "marketplace.log"
    lay_databases(folder, "marketplace")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "marketplace", "--port", str(port), *arguments],
            cwd=ROOT,
            env=scratch_environ(folder, **environ),
            stdout=output,
            stderr=output,
        )
    running = Running(process=process, port=port, log=log)
    try:
        yield running
    finally:
        process.terminate()
        process.wait(timeout=40)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    with marketplace(tmp_path) as started:
        wait_until(started.is_healthy, seconds=90, what="the marketplace answers")
        yield started


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        return {name for (name,) in database.execute("SELECT name FROM sqlite_master")}


def is_gone(pid: int) -> bool:
    """Whether the process has ended; a zombie counts as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def run_as_pasted(line: str) -> str:
    """Run a printed line in a shell that knows none of our settings, with a password for whatever asks."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=ROOT,
        env={**inherited, "UV_PROJECT_ENVIRONMENT": sys.prefix, "UV_NO_SYNC": "1"},
        input="staple battery horse\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stderr[-2000:]}"
    return done.stdout


def test_marketplace_serves_its_own_host_and_no_other(running: Running, tmp_path: Path) -> None:
    statuses = {
        "workers": running.get("/").status,
        "researchers' host": running.get("/admin/login/", host="127.0.0.1").status,
        "researchers' pages": running.get("/admin/login/").status,
        "control": running.get("/control/clock/").status,
    }

    assert statuses == {"workers": 200, "researchers' host": 400, "researchers' pages": 404, "control": 404}


def test_marketplace_tells_the_addresses_and_its_folder(running: Running, tmp_path: Path) -> None:
    told = running.log.read_text()

    assert f"http://localhost:{running.port}/" in told
    assert f"The data stay in {tmp_path}." in told


def test_marketplace_keeps_its_data_in_the_folder_that_it_is_given(tmp_path: Path) -> None:
    asked, other = tmp_path / "asked for", tmp_path / "other"
    other.mkdir()
    with marketplace(tmp_path, "--data", str(asked), CROWD_DATA_DIR=str(other)) as started:
        wait_until(started.is_healthy, seconds=90, what="the marketplace answers")
        told = started.log.read_text()

    assert f"The data stay in {asked}." in told
    assert f"CROWD_DATA_DIR='{asked}' " in told
    assert "marketplace_hit" in tables(asked / "marketplace.sqlite3")
    assert not list(other.glob("*.sqlite3*"))


def test_next_commands_work_as_they_are_printed(running: Running) -> None:
    lines = [line.strip() for line in running.log.read_text().splitlines() if "uv run" in line]

    operator, provision = [run_as_pasted(line.replace("NAME", "ines")) for line in lines]

    assert operator == f"ines may sign in at http://localhost:{running.port}/desk/\n"
    made = json.loads(provision)
    assert made["endpoint"] == f"http://localhost:{running.port}"
    assert running.get("/invitation/" + made["workers"][0]["invitation"].split("/")[-2] + "/").status == 200


def test_marketplace_needs_no_database_of_the_researchers(running: Running, tmp_path: Path) -> None:
    assert running.get("/").status == 200
    assert "marketplace_hit" in tables(tmp_path / "marketplace.sqlite3")
    assert tables(tmp_path / "crowd.sqlite3") == set()


@pytest.mark.parametrize("name", ["web", "sweep"])
def test_marketplace_restarts_what_dies(running: Running, name: str) -> None:
    wait_until(lambda: set(running.children()) == {"web", "sweep"}, seconds=30, what="both run")
    dead = running.children()[name]

    os.kill(dead, signal.SIGKILL)

    wait_until(
        lambda: running.children().get(name, dead) != dead and running.is_healthy(),
        seconds=60,
        what="it is there again",
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_marketplace_that_ends_takes_its_processes_along(running: Running, number: signal.Signals) -> None:
    wait_until(lambda: set(running.children()) == {"web", "sweep"}, seconds=30, what="both run")
    below = tree(running.process.pid)[1:]

    running.process.send_signal(number)

    running.process.wait(timeout=40)
    wait_until(lambda: all(map(is_gone, below)), seconds=30, what="its processes are gone")


def test_marketplace_does_not_start_where_its_control_api_could_be_reached(tmp_path: Path) -> None:
    exposed = {
        "CROWD_MARKETPLACE_URL": "https://market.example.org",
        "CROWD_MARKETPLACE_CONTROL_KEY": "key",
    }

    with marketplace(tmp_path, **exposed) as refused:
        code = refused.process.wait(timeout=90)

    assert code != 0
    assert "CROWD_MARKETPLACE_CONTROL_KEY is for tests and rehearsals" in refused.log.read_text()

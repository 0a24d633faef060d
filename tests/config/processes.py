"""Real processes of the product, on loopback, with a folder of their own; each is ended by its id."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

from crowd.marketplace.tools.conformance.browser import Browser

ROOT = Path(__file__).parent.parent.parent
FILES = {"default": "crowd.sqlite3", "marketplace": "marketplace.sqlite3"}
OURS = ("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL")


@dataclass(frozen=True, kw_only=True)
class Product:
    """A running product in the embedded form."""

    process: subprocess.Popen[bytes]
    environ: dict[str, str]
    url: str

    def children(self) -> dict[str, int]:
        """The ids of the web and the background process, from the supervisor's log."""
        started: dict[str, int] = {}
        for line in Path(self.environ["LOG"]).read_text().splitlines():
            if "process.started" in line:
                entry = json.loads(line)
                started[entry["name"]] = entry["pid"]
        return started

    def kill(self, name: str) -> int:
        pid = self.children()[name]
        os.kill(pid, signal.SIGKILL)
        return pid

    def is_healthy(self) -> bool:
        try:
            with build_opener(ProxyHandler({})).open(f"{self.url}/health/", timeout=2) as answer:
                healthy: bool = answer.status == 200
        except OSError:
            return False
        return healthy

    def manage(self, *command: str) -> str:
        return manage(*command, environ=self.environ)


def scratch_environ(folder: Path, **changes: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**inherited, "CROWD_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1", **changes}


def manage(*command: str, environ: dict[str, str], timeout: int = 240, python: str = sys.executable) -> str:
    done = subprocess.run(
        [python, "manage.py", *command],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def report_of(printed: str) -> dict[str, Any]:
    """Read the demo's report, which is one JSON object."""
    (line,) = printed.splitlines()
    report: dict[str, Any] = json.loads(line)
    return report


@contextmanager
def serving(
    folder: Path, *, port: int, python: str = sys.executable, patience_s: float = 60, **changes: str
) -> Iterator[Product]:
    log = folder / "serve.log"
    url = f"http://127.0.0.1:{port}"
    environ = scratch_environ(
        folder,
        CROWD_PUBLIC_URL=url,
        CROWD_MARKETPLACE_URL=f"http://localhost:{port}",
        LOG=str(log),
        **changes,
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, ROOT / "manage.py", "serve"], cwd=folder, env=environ, stdout=output, stderr=output
        )
        product = Product(process=process, environ=environ, url=url)
        try:
            wait_until(product.is_healthy, seconds=patience_s, what="the product answers")
            yield product
        finally:
            process.terminate()
            process.wait(timeout=40)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def is_answering(url: str) -> bool:
    try:
        return Browser(cookies=False).get(url).status == 200
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"It took longer than {seconds} s until {what}."
        time.sleep(0.1)


def tree(pid: int) -> list[int]:
    """The ids of a process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(below for child in children for below in tree(int(child)))]


def lay_databases(folder: Path, *databases: str) -> None:
    for database in databases or FILES:
        manage("migrate", "--database", database, "--verbosity", "0", environ=scratch_environ(folder))

"""A private marketplace on a scratch database, in a process group of its own."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import psycopg
from django.conf import settings

from crowd.marketplace.tools.conformance.browser import Browser
from hits.common.supervising import die_with_parent

START_S = 90
STOP_S = 15
OURS = ("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL", "AWS_")
POSTGRES = ("postgres", "postgresql", "psql", "pgsql")


class NotServed(Exception):
    """The private marketplace did not start; the message holds what the server wrote last."""


@dataclass(frozen=True, kw_only=True)
class Served:
    endpoint: str
    public_url: str
    control_key: str
    environment: Mapping[str, str]


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]


def inherited_environment() -> dict[str, str]:
    """The environment without this machine's own settings, so that they do not affect the checks."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)}


@contextmanager
def private_server() -> Iterator[Served]:
    """Start the product as a user would; remove all of it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="crowd-conformance-"))
    try:
        with scratch_database() as database:
            served = _describe(folder, database=database, port=_free_port())
            with _running(served, log_path=folder / "server.log"):
                yield served
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _describe(folder: Path, *, database: Mapping[str, str], port: int) -> Served:
    endpoint, public_url = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
    control_key = secrets.token_urlsafe(24)
    scratch = {
        "CROWD_DATA_DIR": str(folder),
        "CROWD_MARKETPLACE_URL": endpoint,
        "CROWD_PUBLIC_URL": public_url,
        "CROWD_MARKETPLACE_ALONE": "false",  # the project's own question pages are looked at too
        "CROWD_ALLOWED_HOSTS": ".localhost,127.0.0.1",
        "CROWD_MARKETPLACE_CONTROL_KEY": control_key,
    }
    return Served(
        endpoint=endpoint,
        public_url=public_url,
        control_key=control_key,
        environment={**inherited_environment(), **scratch, **database},
    )


@contextmanager
def _running(served: Served, *, log_path: Path) -> Iterator[None]:
    port = str(urlsplit(served.endpoint).port)
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            manage("marketplace", "--port", port),
            env=dict(served.environment),
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509
        )
    try:
        _wait_until_healthy(served, process, log_path=log_path)
        yield
    finally:
        _stop(process)


def _wait_until_healthy(served: Served, process: subprocess.Popen[bytes], *, log_path: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _is_healthy(served.endpoint):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NotServed(f"The private marketplace did not start.\n{log_path.read_text()[-4000:]}")
        time.sleep(0.1)


def _is_healthy(endpoint: str) -> bool:
    try:
        return Browser(cookies=False).get(f"{endpoint}/health/").status == 200
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the server, which ends its own processes; kill its group if it takes too long."""
    process.terminate()
    try:
        process.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def scratch_database() -> Iterator[Mapping[str, str]]:
    """Environment for a scratch database: a file in the scratch folder, or a new database on our server."""
    configured = urlsplit(os.environ.get("MARKETPLACE_DATABASE_URL", ""))
    if configured.scheme not in POSTGRES:
        yield {}
        return
    name = f"crowd_conformance_{secrets.token_hex(6)}"
    _on_server(configured, f'CREATE DATABASE "{name}"')
    try:
        yield {"MARKETPLACE_DATABASE_URL": configured._replace(path=f"/{name}").geturl()}
    finally:
        _on_server(configured, f'DROP DATABASE "{name}" WITH (FORCE)')


def _on_server(configured: SplitResult, statement: str) -> None:
    address = configured._replace(scheme="postgresql", path="/postgres").geturl()
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())
    except psycopg.Error as error:
        raise NotServed(f"The scratch database: {error}") from error


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port

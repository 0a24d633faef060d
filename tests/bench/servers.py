"""The servers under measurement: started alike, in process groups of their own, and measured."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.config.processes import is_answering, wait_until

ROOT = Path(__file__).resolve().parents[2]
THREADS = 8
LEFT_OUT = ("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL")


@dataclass(frozen=True, kw_only=True)
class Server:
    """One web server in a process group of its own."""

    name: str
    port: int
    process: subprocess.Popen[bytes]


def command(name: str, port: int) -> list[str]:
    own = {
        "gunicorn": f"config.wsgi --bind=127.0.0.1:{port} --threads={THREADS} --no-control-socket",
        "granian": f"config.wsgi:application --port={port} --blocking-threads={THREADS} --interface=wsgi"
        " --respawn-failed-workers",
    }
    return [sys.executable, "-m", name, "--workers=1", "--log-level=warning", *own[name].split()]


def environment(data: Path, port: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile everything again
    return {
        **kept,
        "CROWD_DATA_DIR": str(data),
        "CROWD_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "CROWD_MARKETPLACE_URL": f"http://localhost:{port}",
    }


def migrate(data: Path) -> None:
    (data / "static").mkdir()
    for database in ("default", "marketplace"):
        migration = [sys.executable, "manage.py", "migrate", "--database", database, "--verbosity", "0"]
        subprocess.run(migration, cwd=ROOT, env=environment(data, 8000), check=True)


def spawn(name: str, data: Path, port: int) -> subprocess.Popen[bytes]:
    with (data / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            command(name, port),
            cwd=ROOT,
            env=environment(data, port),
            stderr=log,
            stdout=log,
            start_new_session=True,
        )


@contextmanager
def started(name: str, data: Path) -> Iterator[Server]:
    """Yield a running server. Its whole process group ends with it, whatever it leaves behind."""
    port = free_port()
    process = spawn(name, data, port)
    try:
        yield Server(name=name, port=port, process=process)
    finally:
        end_group(process)


@contextmanager
def running(
    command: Sequence[str], *, port: int, page: str, folder: Path, cwd: Path, environ: Mapping[str, str]
) -> Iterator[Server]:
    """Yield the server of this command once the page answers. What it says is kept in the folder."""
    log = folder / f"server-{port}.log"
    with log.open("ab") as said:
        process = subprocess.Popen(
            command, cwd=cwd, env=dict(environ), stdout=said, stderr=said, start_new_session=True
        )
    try:
        await_answer(f"http://127.0.0.1:{port}{page}", log=log)
        yield Server(name=Path(command[0]).name, port=port, process=process)
    finally:
        end_group(process)


def await_answer(url: str, *, log: Path) -> None:
    try:
        wait_until(lambda: is_answering(url), seconds=60, what=f"{url} answers")
    except AssertionError:
        sys.stderr.write(log.read_text()[-4000:])
        raise


def end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    direct = [int(child) for task in tasks for child in task.read_text().split()]
    return [found for child in direct for found in (child, *children(child))]


def memory_of(pid: int) -> int:
    """Kilobytes: its share of what it holds, or all of it where the share cannot be read."""
    for file, field in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
                if line.startswith(field):
                    return int(line.split()[1])
    return 0


def memory_mb(server: Server) -> float:
    return sum(memory_of(pid) for pid in (server.process.pid, *children(server.process.pid))) / 1024


def cpu_s(server: Server) -> float:
    ticks = 0
    for pid in (server.process.pid, *children(server.process.pid)):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")

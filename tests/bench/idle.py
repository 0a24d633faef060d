"""What an installation costs while nothing happens, and how long work waits while something does.

    python -m tests.bench.idle --json                 # this commit and the one before, in both forms
    python -m tests.bench.idle --json --forms embedded --seconds 120

A demo is played first: how long its work waited from hand-in to approval, and its questions for a verdict,
is read from its rows. Then the same databases are served for two minutes while nobody does anything.
The deployed form needs DATABASE_URL, MARKETPLACE_DATABASE_URL, REDIS_URL and the keys; both databases must
be empty, and are emptied again.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.bench.before import checkout
from tests.bench.servers import ROOT, end_group, environment, free_port

FORMS = ("embedded", "deployed")
# Time in which a start loads models and looks at everything once.
SETTLE_S = 60
WINDOW_S = 10
PATIENCE_S = 300
WAITS = {
    "submit_to_approved": "SELECT submitted_at, approved_at FROM hits_assignment "
    "WHERE approved_at IS NOT NULL",
    "question_to_verdict": "SELECT r.asked_at, v.answered_at FROM scoring_verdict v "
    "JOIN scoring_rivalquery r ON r.id = v.rival_query_id",
}
# Counts the queries of every process, a byte each, wherever Django opens a connection.
COUNTER = """
import os
from django.db.backends.signals import connection_created
count = os.open(os.environ["COUNT_QUERIES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def note(execute, sql, params, many, context):
    os.write(count, b".")
    return execute(sql, params, many, context)
def watch(connection, **_):
    if note not in connection.execute_wrappers:
        connection.execute_wrappers.append(note)
connection_created.connect(watch, weak=False)
"""
DEPLOYED = (
    ("gunicorn", "config.wsgi", "--workers", "2", "--threads", "8", "--no-control-socket"),
    (
        "celery",
        "--app",
        "config",
        "worker",
        "--queues",
        "default,money",
        "--pool",
        "threads",
        "--loglevel",
        "ERROR",
    ),
    ("celery", "--app", "config", "worker", "--queues", "rival", "--pool", "solo", "--loglevel", "ERROR"),
    ("celery", "--app", "config", "beat", "--loglevel", "ERROR"),
)


def measure(tree: Path, form: str, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="crowd-idle-") as name:
        folder, port = Path(name), free_port()
        environ = {**environment(folder, port), "PYTHONPATH": name, "COUNT_QUERIES": str(folder / "queries")}
        if form == "deployed":
            environ |= {
                key: value for key, value in os.environ.items() if key.endswith(("_URL", "_KEY", "_KEYS"))
            }
            environ |= environment(folder, port) | {"PYTHONPATH": name}
        (folder / "sitecustomize.py").write_text(COUNTER)
        try:
            demo = ("demo", "--no-serve", "--json", "--use-environment", "--port", str(port))
            _run(tree, environ, *demo)
            waits = _waits(environ, folder)
            return {**waits, **_idle(tree, environ, form, port, seconds)}
        finally:
            if form == "deployed":
                _empty(environ)


def _run(tree: Path, environ: dict[str, str], *command: str) -> None:
    # Python's traceback of a demo that fails is worth more than its exit code.
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=tree,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def _waits(environ: dict[str, str], folder: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, query in WAITS.items():
        waits = [_seconds(end) - _seconds(start) for start, end in _ask(environ, folder, query)]
        found |= {
            f"{name}_p50_s": round(median(waits), 2),
            f"{name}_p95_s": round(quantiles(waits, n=20)[-1], 2),
        }
    return found


def _ask(environ: dict[str, str], folder: Path, query: str) -> list[tuple[Any, Any]]:
    if url := environ.get("DATABASE_URL"):
        with psycopg.connect(url) as connection:
            return connection.execute(query.encode()).fetchall()
    with sqlite3.connect(folder / "crowd.sqlite3") as file:
        return file.execute(query).fetchall()


def _seconds(instant: Any) -> float:
    return (datetime.fromisoformat(instant) if isinstance(instant, str) else instant).timestamp()


def _idle(tree: Path, environ: dict[str, str], form: str, port: int, seconds: float) -> dict[str, float]:
    with _served(tree, environ, form, port) as processes:
        _settle(processes)
        counted = Path(environ["COUNT_QUERIES"])
        cpu, queries, began = _cpu_s(processes), counted.stat().st_size, time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        return {
            "share_of_a_core": round((_cpu_s(processes) - cpu) / took, 4),
            "queries_per_s": round((counted.stat().st_size - queries) / took, 2),
        }


def _settle(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until the processes no longer cost less than a moment ago."""
    time.sleep(SETTLE_S)
    deadline, before = time.monotonic() + PATIENCE_S, float("inf")
    while time.monotonic() < deadline:
        began = _cpu_s(processes)
        time.sleep(WINDOW_S)
        took = _cpu_s(processes) - began
        if took > before * 0.8 or took < WINDOW_S / 100:
            return
        before = took


@contextmanager
def _served(
    tree: Path, environ: dict[str, str], form: str, port: int
) -> Iterator[Sequence[subprocess.Popen[bytes]]]:
    commands = [(sys.executable, "manage.py", "serve")]
    if form == "deployed":
        commands = [(sys.executable, "-m", *command) for command in DEPLOYED]
        environ = {**environ, "GUNICORN_CMD_ARGS": f"--bind=127.0.0.1:{port}"}
    with (Path(environ["CROWD_DATA_DIR"]) / "idle.log").open("ab") as log:
        processes = [
            subprocess.Popen(one, cwd=tree, env=environ, stdout=log, stderr=log, start_new_session=True)
            for one in commands
        ]
    try:
        yield processes
        assert all(process.poll() is None for process in processes), "A process has ended meanwhile."
    finally:
        for process in processes:
            end_group(process)


def _cpu_s(processes: Sequence[subprocess.Popen[bytes]]) -> float:
    """Processor seconds so far of the processes and of all that they have started."""
    return sum(_ticks(pid) for process in processes for pid in _tree(process.pid)) / os.sysconf("SC_CLK_TCK")


def _tree(pid: int) -> list[int]:
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        children += [int(child) for child in (task / "children").read_text().split()]
    return [pid, *(below for child in children for below in _tree(child))]


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _empty(environ: dict[str, str]) -> None:
    for url in (environ["DATABASE_URL"], environ["MARKETPLACE_DATABASE_URL"]):
        name = urlsplit(url).path[1:]
        with psycopg.connect(
            urlsplit(url)._replace(path="/postgres").geturl(), autocommit=True
        ) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
            connection.execute(f'CREATE DATABASE "{name}"'.encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument(
        "--forms", nargs="+", choices=("embedded", "deployed"), default=["embedded", "deployed"]
    )
    parser.add_argument("--only", choices=("now", "before"))
    options = parser.parse_args()
    figures: dict[str, dict[str, Any]] = {}
    of: Callable[[Path], dict[str, Any]] = lambda tree: {  # noqa: E731
        form: measure(tree, form, options.seconds) for form in options.forms
    }
    if options.only != "now":
        with checkout() as tree:
            figures["before"] = of(tree)
    if options.only != "before":
        figures["now"] = of(ROOT)
    print(json.dumps(figures, indent=None if options.json else 2))  # noqa: T201


if __name__ == "__main__":
    main()

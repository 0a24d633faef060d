"""A process with wrong settings ends before it serves, with one sentence that says what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import make_keys
from tests.config.processes import ROOT, free_port, scratch_environ
from tests.config.servers import VARIABLES, made_on_server

GUNICORN = ("gunicorn", "config.wsgi", "--log-level=critical", "--no-control-socket", "--bind=127.0.0.1:0")
WORKER = ("celery", "--app=config", "--quiet", "worker", "--queues=default,money", "--pool=threads")
BEAT = ("celery", "--app=config", "--quiet", "beat")
PROCESSES = pytest.mark.parametrize("command", [GUNICORN, WORKER, BEAT], ids=["web", "worker", "beat"])


def start(folder: Path, *command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    keys = {name: ",".join(values) for name, values in make_keys().items()}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=scratch_environ(folder, DJANGO_SETTINGS_MODULE="config.settings", **keys, **environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@PROCESSES
def test_server_that_nobody_answers_for_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    away = f"postgres://ada:secret-word@127.0.0.1:{free_port()}/away"

    ended = start(tmp_path, *command, DATABASE_URL=away, MARKETPLACE_DATABASE_URL=away)

    assert ended.returncode == 3
    [told] = [line for line in ended.stderr.splitlines() if line.startswith("Not started.")]
    assert "The database of DATABASE_URL cannot be used: connection" in told
    assert "Check the address" in told
    assert "secret-word" not in ended.stderr + ended.stdout


@pytest.mark.needs_postgres
@PROCESSES
def test_database_without_its_tables_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    with made_on_server(*VARIABLES) as made:
        ended = start(tmp_path, *command, **{VARIABLES[name]: address for name, address in made.items()})

    assert ended.returncode == 3
    assert "The database of DATABASE_URL is not ready" in ended.stderr
    assert "Run manage.py migrate --database default" in ended.stderr


def test_wrong_setting_of_a_web_process_is_told_in_one_sentence(tmp_path: Path) -> None:
    ended = start(tmp_path, *GUNICORN, CROWD_PUBLIC_URL="crowd.example.org")

    assert ended.returncode == 3
    assert ended.stderr.strip() == (
        "Not started. CROWD_PUBLIC_URL must be an http or https address; it is 'crowd.example.org'."
    )

"""What machines ask: whether a process lives, whether it can serve, and whether a worker is connected."""

import os
import sys
from pathlib import Path
from subprocess import Popen
from unittest.mock import Mock

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connections
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config.watching import probes
from tests.config.processes import ROOT, free_port, lay_databases, scratch_environ, wait_until

EVERYWHERE = pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "crowd-web-1:8000"])


@pytest.fixture(autouse=True)
def _nothing_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_laid", set())


@EVERYWHERE
def test_a_process_that_lives_says_so_without_a_query_by_any_name(client: Client, host: str) -> None:
    assert client.get("/health/live/", headers={"host": host}).json() == {"ok": True}


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_a_process_with_its_databases_is_ready(client: Client) -> None:
    answer = client.get("/health/ready/")

    assert (answer.status_code, answer.json()) == (200, {"ok": True, "problems": []})


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_a_process_whose_database_lacks_a_migration_is_not_ready(client: Client) -> None:
    last = MigrationRecorder.Migration.objects.using("marketplace").filter(app="marketplace").last()
    assert last
    last.delete(using="marketplace")

    answer = client.get("/health/ready/")

    assert answer.status_code == 503
    assert answer.json() == {"ok": False, "problems": ["database marketplace: 1 migrations missing"]}


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_a_process_without_its_broker_is_not_ready_and_names_no_address(
    client: Client, settings: LazySettings
) -> None:
    settings.REDIS_URL = f"redis://:planted@127.0.0.1:{free_port()}/0"

    answer = client.get("/health/ready/")

    assert (answer.status_code, answer.json()["problems"]) == (503, ["broker: no answer"])


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_the_marketplace_alone_needs_its_own_database(client: Client, settings: LazySettings) -> None:
    settings.MARKETPLACE_ALONE = True

    assert probes.own_databases() == ["marketplace"]


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_a_database_that_goes_away_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = client.get("/health/ready/").status_code
    monkeypatch.setattr(connections["default"], "cursor", Mock(side_effect=OperationalError))

    assert before == 200
    assert client.get("/health/ready/").json()["problems"] == ["database default: no answer"]


def test_a_connected_worker_touches_its_file(tmp_path: Path) -> None:
    lay_databases(tmp_path)
    sign = tmp_path / "heartbeat"
    command = [sys.executable, "-m", "celery", "--app=config", "--quiet", "worker", "--queues=money"]
    environ = scratch_environ(tmp_path, CROWD_HEARTBEAT=str(sign), DJANGO_SETTINGS_MODULE="config.settings")
    worker = Popen([*command, "--pool=threads"], cwd=ROOT, env=environ)
    try:
        wait_until(sign.exists, seconds=60, what="the worker is connected")
        os.utime(sign, (0, 0))
        wait_until(lambda: sign.stat().st_mtime > 0, seconds=60, what="it touches the file again")
    finally:
        worker.terminate()
        worker.wait(timeout=40)

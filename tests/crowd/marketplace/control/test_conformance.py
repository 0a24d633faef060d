"""The whole reference over HTTP, against a marketplace of its own; and the command that checks others."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crowd.marketplace.tools.conformance.control import Control
from crowd.marketplace.tools.conformance.server import Served, private_server
from tests.config.processes import ROOT, tree

pytestmark = pytest.mark.pure  # starts processes with databases of their own

FEW = "1,6,7,24,65"
EVERY_CHECK = list(range(1, 85))


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with private_server() as running:
        yield running


def run(*arguments: str, folder: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", "conformance", *arguments],
        cwd=ROOT,
        env={**os.environ, "CROWD_DATA_DIR": str(folder), **environ},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def outcomes(report: dict[str, Any]) -> dict[int, str]:
    return {one["number"]: one["outcome"] for one in report["checks"]}


def keys_of(served: Served) -> dict[str, str]:
    made = Control(endpoint=served.endpoint, key=served.control_key).ask("requester")
    return {
        "AWS_ACCESS_KEY_ID": made["access_key_id"],
        "AWS_SECRET_ACCESS_KEY": made["secret_access_key"],
    }


def test_conformance_passes_every_check_of_the_reference(tmp_path: Path) -> None:
    done = run("--json", folder=tmp_path)

    report = json.loads(done.stdout)
    assert [one for one in report["checks"] if one["outcome"] != "passed"] == []
    assert (report["passed"], report["failed"], report["skipped"]) == (84, 0, 0)
    assert ([one["number"] for one in report["checks"]], done.returncode) == (EVERY_CHECK, 0)


def test_conformance_of_an_endpoint_skips_what_needs_control(served: Served, tmp_path: Path) -> None:
    arguments = ("--json", "--endpoint", served.endpoint, "--only", FEW)

    done = run(*arguments, folder=tmp_path, **keys_of(served))

    expected = {1: "passed", 6: "skipped", 7: "passed", 24: "skipped", 65: "skipped"}
    assert (outcomes(json.loads(done.stdout)), done.returncode) == (expected, 0)


def test_conformance_of_an_endpoint_with_its_control_key(served: Served, tmp_path: Path) -> None:
    arguments = ("--endpoint", served.endpoint, "--control-key", served.control_key, "--only", FEW)

    done = run(*arguments, folder=tmp_path)

    assert done.returncode == 0, done.stderr
    skipped, _, summary = done.stdout.splitlines()
    assert skipped.split()[:2] == ["skipped", "65"]
    assert summary.startswith("4 passed, 0 failed, 1 skipped")


def test_conformance_with_a_control_key_that_does_not_work_skips(served: Served, tmp_path: Path) -> None:
    arguments = ("--json", "--endpoint", served.endpoint, "--control-key", "wrong", "--only", "1,24")

    done = run(*arguments, folder=tmp_path, **keys_of(served))

    assert outcomes(json.loads(done.stdout)) == {1: "passed", 24: "skipped"}
    assert "The control API does not answer to this key" in done.stderr


def test_conformance_counts_what_a_wrong_server_does(served: Served, tmp_path: Path) -> None:
    """Unknown credentials: every call is refused, though not in the way that the reference has it."""
    nobody = {"AWS_ACCESS_KEY_ID": "NOBODY", "AWS_SECRET_ACCESS_KEY": "nothing"}

    done = run("--endpoint", served.endpoint, "--only", "1,7", folder=tmp_path, **nobody)

    *told, summary = done.stdout.splitlines()
    failures = [line.split()[:2] for line in told if line.startswith("failed")]
    assert (done.returncode, failures) == (1, [["failed", "1"], ["failed", "7"]])
    assert summary.startswith("0 passed, 2 failed, 0 skipped")


def test_conformance_without_credentials_says_what_to_set(tmp_path: Path) -> None:
    without = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}

    done = run("--endpoint", "http://localhost:1", folder=tmp_path, **without)

    assert (done.returncode, "Set AWS_ACCESS_KEY_ID" in done.stderr) == (1, True)


def test_conformance_knows_no_check_85(tmp_path: Path) -> None:
    done = run("--only", "85", folder=tmp_path)

    assert (done.returncode, "There is no check 85" in done.stderr) == (2, True)


def test_conformance_that_is_ended_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = {**os.environ, "CROWD_DATA_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "manage.py", "conformance"]
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(tree(process.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    running = tree(process.pid)[1:]

    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)

    assert running
    assert [pid for pid in running if Path(f"/proc/{pid}").exists()] == []
    assert list(tmp_path.glob("crowd-conformance-*")) == []

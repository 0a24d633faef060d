"""`kill -9` of the process that writes a release, between files and within them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.processes import ROOT, lay_databases, scratch_environ

POINTS = 7


@pytest.mark.pure  # its database is a file of its own
def test_a_release_whose_writer_is_killed_has_the_same_digests(tmp_path: Path) -> None:
    lay_databases(tmp_path, "default")

    done = subprocess.run(
        [sys.executable, "-m", "tests.promise.dying_writer", str(POINTS)],
        cwd=ROOT,
        env=scratch_environ(tmp_path),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout)
    assert told["acts"] > 10 * POINTS
    assert told["ends"] == [[-9, 0]] * POINTS
    assert told["same"] == [True] * POINTS
    assert told["status"] == "ready"

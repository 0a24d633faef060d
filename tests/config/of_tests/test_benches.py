"""Benches are run by hand, and nobody sees when one breaks: here each runs once, as small as it can be."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.processes import ROOT

# Small measurements, which tell whether a bench works and nothing of how fast anything is.
SMALL = {
    "card": ["--small", "--clips", "RN50"],
    "launching": ["--only", "now", "--wire", "--hits", "40", "--by-default", "20"],
    "marketplace_load": ["--sizes", "10", "--rounds", "1", "--workers", "2"],
    "reconciling": ["--finished", "5", "20"],
    "replay": ["--associations", "200"],
    "rival": ["--runs", "1", "--pool", "20"],
    "solving": ["--rounds", "1"],
    "verdicts": ["--rounds", "2"],
}
# What says that a figure is worse than it may be, which so small a measurement may well say.
MEASURED = (0, 1)


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_redis
@pytest.mark.parametrize("bench", SMALL)
def test_bench_measures_twice_and_tells_figures(bench: str, tmp_path: Path) -> None:
    """The second run finds what the first has left behind, if it has left anything."""
    for _ in range(2):
        told = subprocess.run(
            [sys.executable, "-m", f"tests.bench.{bench}", "--json", *SMALL[bench]],
            cwd=ROOT,
            env={**os.environ, "CROWD_DATA_DIR": str(tmp_path / "never-made")},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

        assert told.returncode in MEASURED, told.stderr[-4000:]
        assert json.loads(told.stdout.splitlines()[-1])
    assert not (tmp_path / "never-made").exists()


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_uv
def test_race_tells_figures_of_both_sides() -> None:
    command = [sys.executable, "-m", "tests.bench.race", "--json", "--only", "turkle", "--sizes", "10"]
    told = subprocess.run(
        [*command, "--rounds", "1"], cwd=ROOT, capture_output=True, text=True, timeout=900, check=True
    )

    assert "turkle_loop_ratio" in told.stdout

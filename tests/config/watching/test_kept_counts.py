"""Counts are right with several processes, whichever of them is asked and whoever has ended since."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from config.watching.kept_counts import KeptCounts
from hits.common.watching.timings import Timing, timed

ROOT = Path(__file__).parent.parent.parent.parent
CALLS = Timing(name="crowd_calls_seconds", words="Calls.", labels=("outcome",), buckets=(1, 2))
RUNS = Timing(name="crowd_runs_seconds", words="Runs.", labels=("outcome",))
SCRIPT = """
import os, sys
from pathlib import Path
from config.watching.kept_counts import KeptCounts
from hits.common.watching.timings import Timing
counts = KeptCounts(Path(sys.argv[1]))
calls = Timing(name="crowd_calls_seconds", words="Calls.", labels=("outcome",), buckets=(1, 2))
counts.keep(calls, 1.5, ["done"])
if os.fork() == 0:
    counts.keep(calls, 0.5, ["done"])
    os._exit(0)
os.wait()
print("kept", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[list[Popen[str]]]:
    """Two processes that have measured twice each, in a fork too, and still run."""
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    started = [Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) for _ in range(2)]
    for one in started:
        assert one.stdout
        assert one.stdout.readline() == "kept\n"
    yield started
    for one in started:
        one.kill()
        one.communicate()


def told(folder: Path) -> dict[str, float]:
    return {
        f"{sample.name}{sample.labels.get('le', '')}": sample.value
        for metric in KeptCounts(folder).collect()
        for sample in metric.samples
    }


def test_counts_of_all_processes_are_added_up(tmp_path: Path, processes: list[Popen[str]]) -> None:
    found = told(tmp_path)

    assert found["crowd_calls_seconds_count"] == 4
    assert found["crowd_calls_seconds_sum"] == 4.0
    assert (found["crowd_calls_seconds_bucket1.0"], found["crowd_calls_seconds_bucket2.0"]) == (2, 4)


def test_counts_of_processes_that_were_killed_stay_and_their_files_become_one(
    tmp_path: Path, processes: list[Popen[str]]
) -> None:
    before = told(tmp_path)
    files = len(list(tmp_path.glob("*.db")))
    for one in processes:
        one.kill()
        one.wait()

    assert told(tmp_path) == before
    assert told(tmp_path) == before
    assert (files, [path.name for path in tmp_path.glob("*.db")]) == (3, ["histogram_ended.db"])
    assert not list(tmp_path.glob("*.alive"))


def test_a_block_that_raises_is_counted_as_failed(counts: Path) -> None:
    with timed(RUNS) as outcome:
        outcome.value = "done"
    with pytest.raises(ZeroDivisionError), timed(RUNS):
        raise ZeroDivisionError

    (runs,) = KeptCounts(counts).collect()
    ended = {s.labels["outcome"]: s.value for s in runs.samples if s.name == "crowd_runs_seconds_count"}
    assert ended == {"done": 1, "failed": 1}


def test_nothing_is_loaded_or_written_where_nobody_keeps_it(tmp_path: Path) -> None:
    script = """
import sys
from hits.common.watching.timings import Timing
Timing(name="crowd_calls_seconds", words="Calls.").take(1)
print("prometheus_client" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "False\n"

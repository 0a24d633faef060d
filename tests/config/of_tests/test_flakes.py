"""A flake is named and counted; a test that fails twice, or a run that breaks off, is never hidden."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import flakes
from tests.config.processes import ROOT

pytestmark = pytest.mark.pure

# Each module fails the first time only: in the test, before it, after it, or with its whole process.
FLAKY = """
import os
from pathlib import Path
import pytest

def is_first(name):
    mark = Path(__file__).with_name(name)
    first = not mark.exists()
    mark.touch()
    return first

@pytest.fixture
def fails_before():
    assert not is_first("before")

@pytest.fixture
def fails_after():
    yield
    assert not is_first("after")

def test_call():
    assert not is_first("call")

def test_setup(fails_before): ...

def test_teardown(fails_after): ...

def test_crash():
    if is_first("crash"):
        os._exit(9)

def test_steady(): ...
"""
BROKEN = "def test_broken():\n    raise AssertionError\n"


def prove_really(folder: Path, **modules: str) -> tuple[int, str, list[str]]:
    """Run real processes of pytest. Returns the exit status, the output and the tally."""
    for name, source in modules.items():
        (folder / f"test_{name}.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p xdist -n 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "tests.flakes", "tally", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, (folder / "tally").read_text().splitlines()


def test_what_passes_when_repeated_is_named_and_the_run_goes_on(tmp_path: Path) -> None:
    status, printed, tally = prove_really(tmp_path, flaky=FLAKY)

    names = [f"test_flaky.py::test_{name}" for name in ("call", "crash", "setup", "teardown")]
    assert (status, tally) == (0, names)
    assert [line for line in printed.splitlines() if line.startswith("flaked: ")] == [
        f"flaked: {name}" for name in names
    ]


def test_what_fails_twice_has_failed_beside_a_flake(tmp_path: Path) -> None:
    status, printed, tally = prove_really(tmp_path, broken=BROKEN, flaky=FLAKY)

    assert status == 1
    assert "test_flaky.py::test_call" in tally
    assert "test_broken.py::test_broken" not in tally
    assert "flaked: test_broken" not in printed


class Runs:
    """Stands for pytest, with the failures and the end of each run."""

    def __init__(self, folder: Path, *ends: tuple[int, Sequence[str]]) -> None:
        self.failures, self.tally = folder / "failures", folder / "tally"
        self.ends = list(ends)
        self.asked: list[list[str]] = []

    def __call__(self, arguments: Sequence[str]) -> int:
        self.asked.append(list(arguments))
        status, failed = self.ends.pop(0)
        self.failures.write_text("".join(f"{name}\n" for name in failed))
        return status

    def prove(self, *asked: str) -> tuple[int, list[str]]:
        status = flakes.prove(asked, tally=self.tally, failures=self.failures, run=self)
        return status, self.tally.read_text().splitlines() if self.tally.exists() else []


def test_nothing_is_repeated_where_nothing_failed(tmp_path: Path) -> None:
    runs = Runs(tmp_path, (0, []))

    assert runs.prove("-m", "not long") == (0, [])
    assert runs.ends == []


def test_what_failed_is_repeated_alone_and_its_lines_are_measured_too(tmp_path: Path) -> None:
    runs = Runs(tmp_path, (1, ["a", "b"]), (0, []))

    assert runs.prove("-m", "not long", "--cov=hits") == (0, ["a", "b"])
    assert runs.asked[1][-8:] == ["-m", "not long", "--cov=hits", "-n", "0", "--cov-append", "a", "b"]


@pytest.mark.parametrize(
    "ends",
    [
        ((2, ["a"]),),  # interrupted, or a module that could not be read
        ((3, ["a"]),),
        ((4, []),),
        ((5, []),),
        ((1, []),),  # no test failed, but something else did
        ((1, [str(number) for number in range(flakes.MOST + 1)]),),
        ((1, ["a"]), (1, ["a"])),
        ((1, ["a"]), (2, [])),
        ((1, ["a"]), (4, [])),
        ((1, ["a"]), (5, [])),
    ],
)
def test_what_is_no_flake_keeps_its_status(ends: Any, tmp_path: Path) -> None:
    runs = Runs(tmp_path, *ends)

    assert runs.prove() == (ends[-1][0], [])
    assert runs.ends == []


def test_tally_grows_over_the_runs_of_one_ci(tmp_path: Path) -> None:
    Runs(tmp_path, (1, ["a"]), (0, [])).prove()

    assert Runs(tmp_path, (1, ["b"]), (0, [])).prove() == (0, ["a", "b"])

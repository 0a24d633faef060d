"""CI's own run of the tests: a test that fails and passes when repeated is a flake, named and counted.

    python -m tests.flakes TALLY [options of pytest, but no paths]

A test that fails twice has failed, and so has a run that pytest could not bring to its end.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

# More failures at once are no accident of a busy machine.
MOST = 20
OPTION = "--failures-to"
Run = Callable[[Sequence[str]], int]


def main(arguments: Sequence[str]) -> int:
    tally, *asked = arguments
    with tempfile.TemporaryDirectory() as folder:
        return prove(asked, tally=Path(tally), failures=Path(folder) / "failures", run=run_pytest)


def run_pytest(arguments: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def prove(asked: Sequence[str], *, tally: Path, failures: Path, run: Run) -> int:
    """Run the tests, repeat the failed ones once, alone, and return the exit status."""
    ours = ["-p", "tests.flakes", OPTION, str(failures)]
    status = run([*ours, *asked])
    failed = _read(failures)
    if status != pytest.ExitCode.TESTS_FAILED or not 0 < len(failed) <= MOST:
        return status
    failures.unlink()
    status = run([*ours, *_again(asked), *failed])
    # A repetition that broke off shows nothing about any test.
    known = status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    flaked = sorted(set(failed) - set(_read(failures))) if known else []
    _tell(flaked, tally)
    return status


def _again(asked: Sequence[str]) -> list[str]:
    """Arguments of the repetition, which adds to the coverage that was measured the first time."""
    measured = any(argument.startswith("--cov") for argument in asked)
    return [*asked, "-n", "0", *(["--cov-append"] if measured else [])]


def _tell(flaked: Iterable[str], tally: Path) -> None:
    with tally.open("a") as file:
        for test in flaked:
            print(f"flaked: {test}", flush=True)  # noqa: T201
            print(test, file=file)


def _read(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


# As a plugin of pytest it writes down what failed: in setup, in the test, in teardown, or with its process.


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, metavar="PATH", help="Write the names of the tests that failed into this file.")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption(OPTION)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(Path(path)))


class Failures:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: dict[str, None] = {}

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._names[report.nodeid] = None
            self._path.write_text("".join(f"{name}\n" for name in self._names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

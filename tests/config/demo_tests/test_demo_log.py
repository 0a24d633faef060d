"""Errors in the demo's servers can be read afterwards; slow work is waited for."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from config.logs import configure_logs, count_troubles
from config.tools import demo_server
from crowd.demo import acts
from crowd.winoventi.demo.seeding import register_taught
from hits.core.errors import CrowdError

pytestmark = pytest.mark.pure
QUIET = '{"event": "request.finished", "level": "info"}\n{"event": "late", "level": "warning"}\n'


@pytest.fixture
def folder(tmp_path: Path, settings: LazySettings) -> Path:
    """Folder such as the demo makes for itself."""
    settings.DATA_DIR = tmp_path / "crowd-demo-abc"
    settings.DATA_DIR.mkdir()
    return Path(settings.DATA_DIR)


def say(*_: Any) -> None:
    pass


@pytest.mark.parametrize("human", [False, True])
def test_error_of_a_page_is_counted_in_the_log_and_leaves_its_traceback_there(
    human: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, level = logging.getLogger(), logging.getLogger().level
    before = list(root.handlers)
    configure_logs(human=human)
    try:
        try:
            raise LookupError("no such address")
        except LookupError:
            logging.getLogger("django.request").exception("Internal Server Error: %s", "/invitation/secret/")
    finally:
        root.handlers, root.level = before, level

    log = tmp_path / "demo.log"
    log.write_text(QUIET + capsys.readouterr().err)

    assert count_troubles(log) == 1
    assert "LookupError: no such address" in log.read_text()
    assert "secret" not in log.read_text()


def test_log_without_an_error_goes_away_with_its_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    acts.log_path().write_text(QUIET)

    demo_server.keep_log(is_well=True)

    assert list(folder.parent.iterdir()) == [folder]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("is_well", "more", "words"),
    [
        (True, '{"event": "django.request.failed", "level": "error"}\n', "1 error on the way"),
        (False, "", "Something went wrong on the way"),
    ],
)
def test_log_of_what_went_wrong_outlives_the_folder_and_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], is_well: bool, more: str, words: str
) -> None:
    acts.log_path().write_text(QUIET + more)

    demo_server.keep_log(is_well=is_well)

    kept = Path(f"{folder}.log")
    assert kept.read_text() == QUIET + more
    assert kept.stat().st_mode & 0o077 == 0
    assert capsys.readouterr().err == f"{words}. The servers' log is kept: {kept}\n"


def test_log_beside_databases_of_ones_own_stays_where_it_is(
    tmp_path: Path, settings: LazySettings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path
    acts.log_path().write_text('{"level": "error"}\n')

    demo_server.keep_log(is_well=True)

    assert str(tmp_path / "demo.log") in capsys.readouterr().err
    assert (tmp_path / "demo.log").exists()


def test_wait_goes_on_as_long_as_something_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, acts.PATIENCE_S - 1))
    monkeypatch.setattr("crowd.demo.acts.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("crowd.demo.acts.time.sleep", say)
    counted = iter(range(5))

    acts.wait("Working", lambda: next(counted), 4, say=say)

    assert next(counted, None) is None


def test_wait_for_what_does_not_move_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, acts.PATIENCE_S - 1))
    monkeypatch.setattr("crowd.demo.acts.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("crowd.demo.acts.time.sleep", say)

    with pytest.raises(CrowdError, match="Working stopped at 2 of 4"):
        acts.wait("Working", lambda: 2, 4, say=say)


def test_models_that_cannot_be_taught_are_told_in_a_sentence() -> None:
    child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    cast: Any = None

    with pytest.raises(CrowdError, match="could not be taught: that process ended with code 3"):
        register_taught(cast, taught=child)

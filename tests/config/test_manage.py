"""Garbage collection at the start of a command."""

from pathlib import Path

import pytest

from tests.config.processes import manage, scratch_environ

pytestmark = pytest.mark.pure
ASKED = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"


def test_what_is_loaded_is_set_aside_and_what_comes_is_looked_through(tmp_path: Path) -> None:
    said = manage("shell", "-v", "0", "-c", ASKED, environ=scratch_environ(tmp_path))

    assert said.strip() == "True True"

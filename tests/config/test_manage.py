"""What commands do before their own work: garbage is set aside, and the first user needs no first start."""

from pathlib import Path

import pytest

from tests.config.processes import manage, scratch_environ

pytestmark = pytest.mark.pure
ASKED = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"


def test_what_is_loaded_is_set_aside_and_what_comes_is_looked_through(tmp_path: Path) -> None:
    said = manage("shell", "-v", "0", "-c", ASKED, environ=scratch_environ(tmp_path))

    assert said.strip() == "True True"


def test_first_user_is_made_before_the_first_start(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path, DJANGO_SUPERUSER_PASSWORD="a-long-one-4711")
    who = ("--noinput", "--username", "owl", "--email", "owl@example.org")

    said = manage("createsuperuser", *who, environ=environ)

    assert "Superuser created successfully." in said

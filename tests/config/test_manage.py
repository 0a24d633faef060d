"""What commands do before their own work: garbage is set aside, and the first user needs no first start."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from hits.common.next_commands import name_secrets, next_command
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


def test_port_and_folder_of_the_embedded_form_are_options_and_begin_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []

    def begin(path: str, command: list[str], environ: dict[str, str]) -> None:
        begun.append((command[2:], environ))
        raise SystemExit

    monkeypatch.setattr("os.execve", begin)
    with pytest.raises(SystemExit):
        call_command("serve", "--port", "8123", "--data", str(tmp_path))

    ((command, environ),) = begun
    assert command == ["serve"]
    assert environ["CROWD_DATA_DIR"] == str(tmp_path)
    assert environ["CROWD_PUBLIC_URL"] == "http://127.0.0.1:8123"
    assert environ["CROWD_MARKETPLACE_URL"] == "http://localhost:8123"


def test_next_commands_are_told_with_what_they_need_and_no_secret() -> None:
    environ = {"CROWD_DATA_DIR": "/srv/our data", "DATABASE_URL": "postgres://us:secret@here/crowd"}

    line = next_command("createsuperuser", environ=environ)

    assert line == "CROWD_DATA_DIR='/srv/our data' uv run manage.py createsuperuser"
    assert name_secrets(environ=environ) == "Both need DATABASE_URL as set here."
    assert name_secrets(environ={}) == ""

"""What the demo takes from the environment, and what it says about the rest."""

import os
from pathlib import Path

import pytest
from django.core.management import call_command

pytestmark = pytest.mark.pure


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, str]]:
    """Environments in which the demo begins anew, which it does not do here."""
    environs: list[dict[str, str]] = []

    def begin(path: str, command: list[str], environ: dict[str, str]) -> None:
        environs.append(environ)
        raise SystemExit

    for name in list(os.environ):
        if name.startswith(("CROWD_", "DATABASE_URL", "MARKETPLACE_DATABASE_URL", "REDIS_URL", "DEMO_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr("os.execve", begin)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return environs


def test_demo_says_which_settings_it_does_not_use_and_how_to_serve_elsewhere(
    begun: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CROWD_PUBLIC_URL", "http://127.0.0.1:8160")
    monkeypatch.setenv("CROWD_DATA_DIR", "/srv/data")

    with pytest.raises(SystemExit):
        call_command("demo", "--port", "8161")

    told = capsys.readouterr().err
    assert "The demo does not use CROWD_DATA_DIR, CROWD_PUBLIC_URL of the environment" in told
    assert "of its own, at http://127.0.0.1:8161 and http://localhost:8161. --port N serves elsewhere" in told
    assert begun[0]["CROWD_PUBLIC_URL"] == "http://127.0.0.1:8161"
    assert begun[0]["CROWD_DATA_DIR"] != "/srv/data"


def test_demo_with_nothing_set_says_nothing(
    begun: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command("demo", "--port", "8161")

    assert (len(begun), capsys.readouterr().err) == (1, "")

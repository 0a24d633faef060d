"""Messages of `serve` before it serves."""

from typing import Any

import pytest

from config.management.commands import serve

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("waiting", "verbosity"), [(["hits.0040_more"], 1), ([], 0)])
def test_whoever_waits_for_migrations_sees_them_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: Any, waiting: list[str], verbosity: int
) -> None:
    settings.BROKER_DIR, settings.STATIC_ROOT = tmp_path / "broker", tmp_path / "static"
    asked: list[int] = []
    said: list[str] = []
    monkeypatch.setattr(serve, "unapplied", lambda _: waiting)
    monkeypatch.setattr(serve, "call_command", lambda *_, verbosity, **__: asked.append(verbosity))
    monkeypatch.setattr(serve, "seed_first_account", lambda **_: None)

    serve.prepare(say=said.append)

    assert asked == [verbosity, verbosity]
    assert said == ["Looking at the database default ...", "Looking at the database marketplace ..."]

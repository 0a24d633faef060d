"""Messages of `serve` before it serves."""

from typing import Any

import pytest

from config.management.commands import serve
from crowd.marketplace.models.parties import Requester
from tests.factories import make_user

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


def test_new_installation_is_told_every_address_and_who_is_still_missing() -> None:
    before = serve.addresses()
    make_user(is_superuser=True)
    after = serve.addresses()

    for address in (
        "127.0.0.1:8000/admin/",
        "localhost:8000/",
        "localhost:8000/desk/",
        "play.localhost:8000/",
    ):
        assert f"http://{address}\n" in before
        assert f"http://{address}\n" in after
    assert "Next, in another terminal and this folder, the first researcher" in before
    assert "manage.py createsuperuser\n" in before
    assert "manage.py marketplace_operator NAME" in before
    assert after.splitlines()[-1].endswith("manage.py doctor")


def test_work_of_the_embedded_form_bears_a_name_for_people() -> None:
    first, second = serve._own_marketplace(), serve._own_marketplace()

    names = list(Requester.objects.order_by("pk").values_list("name", flat=True))
    assert names[0] == "Your lab"
    assert names[1].startswith("Your lab ")
    assert first["access_key_id"] != second["access_key_id"]

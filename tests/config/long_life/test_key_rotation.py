import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection

from config import key_rotation
from config.environment import FERNET_KEYS, TEXT_KEYS, make_keys
from crowd.marketplace.models import Requester
from hits.identity.models.workers import Worker
from tests.factories import make_account, make_requester, make_worker

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])


def rotate(*options: str) -> str:
    out = StringIO()
    call_command("rotate_keys", *options, stdout=out)
    return out.getvalue()


def raw(worker: Worker) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT external_id FROM hits_worker WHERE id = %s", [worker.pk])
        return str(cursor.fetchone()[0])


@pytest.fixture
def new_key(settings: Any) -> str:
    """A new first key, as every process reads it once it was started anew."""
    key = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [key, *settings.FIELD_KEYS]
    settings.MARKETPLACE_KEYS = [key, *settings.MARKETPLACE_KEYS]
    return key


@pytest.fixture
def kept(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the embedded form whose keys are those of the settings."""
    for name in (*FERNET_KEYS, *TEXT_KEYS):
        monkeypatch.delenv(name, raising=False)
    settings.DATA_DIR, settings.EMBEDDED = tmp_path, True
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(key_rotation.keys_of_settings()))
    return path


def test_every_sealed_column_is_known() -> None:
    assert {str(one) for one in key_rotation.sealed_columns()} == {
        "hits_account.hook_secret",
        "hits_account.secret_access_key",
        "hits_account.ticket_key",
        "hits_alerthook.address",
        "hits_alerthook.secret",
        "hits_notice.body",
        "hits_secondfactor.secret",
        "hits_worker.external_id",
        "marketplace_accesskey.secret_sealed",
        "marketplace_requester.ticket_key_sealed",
        "marketplace_signingkey.private_sealed",
        "qualifications_demographics.answers",
        "qualifications_spokenenglish.answer",
    }


def test_rows_of_both_databases_are_sealed_with_the_first_key(settings: Any) -> None:
    worker, account = make_worker(external_id="A1"), make_account(ticket_key="t")
    make_requester()
    ticket_key = Requester.objects.get().ticket_key
    before = raw(worker)
    key = Fernet.generate_key().decode()
    settings.FIELD_KEYS, settings.MARKETPLACE_KEYS = (
        [key, *settings.FIELD_KEYS],
        [key, *settings.MARKETPLACE_KEYS],
    )

    out = rotate("--rows")

    settings.FIELD_KEYS, settings.MARKETPLACE_KEYS = [key], [key]
    assert raw(worker) != before
    assert Worker.objects.get(pk=worker.pk).external_id == "A1"
    account.refresh_from_db()
    assert account.ticket_key == "t"
    assert Requester.objects.get().ticket_key == ticket_key
    assert "No row needs an older key" in out


def test_pseudonyms_and_what_finds_workers_stay(settings: Any) -> None:
    worker = make_worker(external_id="A1")
    key = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [key, *settings.FIELD_KEYS]

    rotate("--rows")

    again = Worker.objects.known(account=worker.account, external_id="A1")
    assert (again.pk, again.pseudonym) == (worker.pk, worker.pseudonym)


def test_rotation_that_was_killed_goes_on(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_rotation, "LOT", 1)
    workers = [make_worker() for _ in range(3)]
    key = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [key, *settings.FIELD_KEYS]
    column = next(one for one in key_rotation.sealed_columns() if str(one) == "hits_worker.external_id")
    replace = key_rotation.SealedColumn.replace
    done: list[Any] = []

    def dies(self: Any, *args: Any) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(args)
        replace(self, *args)

    monkeypatch.setattr(key_rotation.SealedColumn, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        key_rotation.seal_anew(column)
    left = key_rotation.count_old(column)
    monkeypatch.setattr(key_rotation.SealedColumn, "replace", replace)

    assert left == len(workers) - 1
    assert key_rotation.seal_anew(column) == left
    assert key_rotation.count_old(column) == 0


def test_value_written_meanwhile_is_kept(new_key: str) -> None:
    worker = make_worker(external_id="A1")
    column = next(one for one in key_rotation.sealed_columns() if str(one) == "hits_worker.external_id")
    old = raw(worker)
    Worker.objects.filter(pk=worker.pk).update(external_id="A2")

    column.replace(worker.pk, old, old)

    assert Worker.objects.get(pk=worker.pk).external_id == "A2"


def test_new_first_keys_are_written_beside_the_old_ones_but_for_pseudonyms(kept: Path) -> None:
    before = json.loads(kept.read_text())

    rotate()

    after = json.loads(kept.read_text())
    assert after["CROWD_PSEUDONYM_KEYS"] == before["CROWD_PSEUDONYM_KEYS"]
    assert all(after[name][1:] == before[name] for name in before if name != "CROWD_PSEUDONYM_KEYS")
    assert kept.stat().st_mode & 0o077 == 0
    assert [path.name for path in kept.parent.iterdir()] == ["keys.json"]


def test_old_keys_are_forgotten_only_if_no_row_needs_them(kept: Path, settings: Any) -> None:
    make_worker()
    key = Fernet.generate_key().decode()
    settings.FIELD_KEYS = [key, *settings.FIELD_KEYS]
    before = kept.read_text()

    with pytest.raises(CommandError, match="--rows first"):
        rotate("--forget")
    refused = kept.read_text()
    rotate("--rows")
    rotate("--forget")

    assert refused == before
    assert json.loads(kept.read_text())["CROWD_FIELD_KEYS"] == [key]


def test_keys_of_the_environment_are_printed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMBEDDED = False
    for name, keys in make_keys().items():
        monkeypatch.setenv(name, keys[0])

    out = rotate()

    assert f",{settings.FIELD_KEYS[0]}" in out
    assert "Set CROWD_FIELD_KEYS=" in out
    assert "Set CROWD_PSEUDONYM_KEYS=" not in out

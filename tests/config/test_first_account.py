"""The first account and the first keys of a deployment."""

from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.environment import make_keys
from crowd.marketplace.models.parties import Requester
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from tests.factories import make_account


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_account_at_our_own_marketplace_is_made_with_its_requester(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("seed_account", at_own_marketplace="Our lab", deposit=Decimal(50))

    account = Account.objects.get()
    assert capsys.readouterr().out == f"Made {account}.\n"
    assert (account.name, account.environment) == ("Our lab", "marketplace")
    assert Requester.objects.get(name="Our lab").available == 50
    assert provider_for(account)  # its keys can be read


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_second_account_is_left_to_the_admin(capsys: pytest.CaptureFixture[str]) -> None:
    make_account()

    call_command("seed_account", at_own_marketplace="Our lab")

    assert "There is an account already" in capsys.readouterr().out
    assert Account.objects.count() == 1
    assert not Requester.objects.filter(name="Our lab").exists()


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_nothing_is_made_where_nothing_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("seed_account")

    assert "CROWD_ACCOUNT_NAME is not set" in capsys.readouterr().out
    assert not Account.objects.exists()


def test_keys_are_written_as_files_that_their_owner_alone_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "secrets"

    call_command("make_keys", into=folder)

    files = {path.name: path for path in folder.iterdir()}
    assert set(files) == {name.lower() for name in make_keys()}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files.values())
    assert all(path.read_text().strip() for path in files.values())
    assert not any(path.read_text().strip() in capsys.readouterr().out for path in files.values())


def test_key_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "crowd_field_keys").write_text("precious")

    with pytest.raises(CommandError, match="has crowd_field_keys already"):
        call_command("make_keys", into=tmp_path)

    assert (tmp_path / "crowd_field_keys").read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 1

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config import doctor
from hits.services.checking import Finding
from tests.factories import make_account

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _accounts_are_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(**_: Any) -> list[Finding]:
        return [Finding(name="endpoint", ok=True, saw="here")]

    monkeypatch.setattr(doctor, "check_account", check)


def names(*arguments: str) -> list[str]:
    printed = StringIO()
    call_command("doctor", "--json", *arguments, stdout=printed)
    return [finding["name"] for finding in json.loads(printed.getvalue())]


def test_doctor_of_one_account_looks_at_no_other() -> None:
    make_account(name="first")
    make_account(name="second")

    assert names("--account", "second") == ["database default", "second: endpoint"]


def test_doctor_of_an_account_that_does_not_exist_names_those_that_do() -> None:
    make_account(name="first")

    (finding,) = [found for found in doctor.examine_account("other") if not found.ok]

    assert (finding.saw, finding.advice) == ("there is none called other", "Known: first.")


def test_doctor_without_any_account_says_how_to_get_one() -> None:
    printed = StringIO()

    with pytest.raises(CommandError, match="checks failed"):
        call_command("doctor", stdout=printed)

    assert "FAIL accounts" in printed.getvalue()
    assert "Add one in the admin" in printed.getvalue()

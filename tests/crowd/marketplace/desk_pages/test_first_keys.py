"""What the page of new keys gives an operator to paste."""

import re
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from tests.conftest import Sites
from tests.crowd.marketplace.desk import Desk, open_desk, secrets_on
from tests.factories import make_requester


def to_paste(page: Any) -> list[str]:
    found = re.findall(r"<textarea [^>]*>(.*?)</textarea>", page.content.decode(), re.DOTALL)
    return [unescape(lines) for lines in found]


@pytest.mark.django_db(transaction=True)
def test_lines_in_python_ask_for_the_balance(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    page = open_desk().post("requesters/new/", name="The lab", fee_schedule="none", deposit="25.50")

    _, python = to_paste(page)
    exec(python, {})  # noqa: S102 - this is what the operator pastes

    assert capsys.readouterr().out == "25.50\n"


@pytest.mark.django_db
def test_lines_for_a_shell_hold_the_new_key_and_our_address(desk: Desk) -> None:
    requester = make_requester(now=timezone.now()).requester

    page = desk.post(f"requesters/{requester.external_id}/keys/")

    shell, _ = to_paste(page)
    secrets = secrets_on(page)
    assert shell.splitlines() == [
        f"export AWS_ACCESS_KEY_ID={secrets['Access key id']}",
        f"export AWS_SECRET_ACCESS_KEY={secrets['Secret access key']}",
        "export AWS_DEFAULT_REGION=us-east-1",
        "export AWS_ENDPOINT_URL_MTURK=http://localhost:8000",
        "aws mturk get-account-balance",
    ]
    assert page["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_a_new_ticket_key_comes_with_nothing_to_paste(desk: Desk) -> None:
    requester = make_requester(now=timezone.now()).requester

    page = desk.post(f"requesters/{requester.external_id}/ticket-key/")

    assert to_paste(page) == []

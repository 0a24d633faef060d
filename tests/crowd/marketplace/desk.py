"""The operator's desk as a browser sees it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from itertools import count
from typing import Any
from uuid import uuid4

from django.test import Client
from django.utils import timezone

from crowd.marketplace.desk.session import COOKIE
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.services import operators
from tests.crowd.marketplace.site import stranger
from tests.pages import text_of

PASSWORD = "correct horse battery"
_numbers: Iterator[int] = count(1)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The browser of an operator who is signed in."""

    client: Client
    operator: Operator

    def get(self, path: str) -> Any:
        return self.client.get(f"/desk/{path}")

    def post(self, path: str, *, token: str = "", **fields: object) -> Any:
        """Send a form, with a form token of its own unless one is given, as each page provides one."""
        return self.client.post(f"/desk/{path}", {"form_token": token or str(uuid4()), **fields})


def make_operator(name: str = "") -> Operator:
    name = name or f"operator-{next(_numbers)}"
    return operators.make_operator(sign_in_name=name, password=PASSWORD, now=timezone.now())


def open_desk(*, enforce_csrf_checks: bool = False) -> Desk:
    """Sign an operator in through the service, since hashing a password takes time."""
    operator = Operator.objects.create(
        sign_in_name=f"operator-{next(_numbers)}", password="!", created_at=timezone.now()
    )
    client = stranger(enforce_csrf_checks=enforce_csrf_checks)
    client.cookies[COOKIE] = operators.open_session(operator, now=timezone.now())
    return Desk(client=client, operator=operator)


def form_token(page: Any) -> str:
    """First form token of the page."""
    first, *_ = re.findall(r'name="form_token" value="([^"]*)"', text_of(page))
    return str(first)


def hidden(page: Any, name: str) -> str:
    [value] = re.findall(rf'name="{name}" value="([^"]*)"', text_of(page))
    return unescape(value)


def secrets_on(page: Any) -> Mapping[str, str]:
    """Secrets that the page shows once, by their labels."""
    found = re.findall(r'<label for="secret-\d+">([^<]*)</label><input [^>]*?value="([^"]*)"', text_of(page))
    return dict(found)


def rows_of(page: Any) -> list[str]:
    """Texts of all table rows of the page, one string a row."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", page.content.decode(), re.DOTALL)
    rows = [row for body in bodies for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]
    return [" ".join(unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in rows]


def lines_of(file: Any) -> list[str]:
    return b"".join(file.streaming_content).decode().splitlines()

"""Every address of the API with every method it has, from the URL list."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from hits.api.request_permissions import Need
from tests.attacks.crawling import patterns

ID = re.compile(r"\(\?P<(?:public_id|pk)>[^)]*\)")
NUMBER = "?P<pk>"
NO_NUMBER = 999_999
SAFE = ("get", "head", "options")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One method of one address. `need` is None where signing in is enough.

    `resource` is the path below /api/ of what the call is about, such as "winoground/tags".
    """

    route: str
    method: str
    action: str
    need: Need | None
    resource: str = ""
    view: type = object

    @property
    def of_a_row(self) -> bool:
        return bool(ID.search(self.route))

    @property
    def is_safe(self) -> bool:
        return self.method in SAFE

    def address(self, public_id: object) -> str:
        if NUMBER in self.route and not str(public_id).isdigit():
            public_id = NO_NUMBER
        query = "?name=associations.csv" if self.action == "download" else ""
        return "/" + ID.sub(str(public_id), self.route).replace("^", "").replace("$", "") + query

    def __str__(self) -> str:
        return f"{self.method} {self.address('id')}"


def calls() -> list[Call]:
    found = patterns("config.urls")
    return [call for route, one in found if route.startswith("api/") for call in _of(route, one)]


def _of(route: str, pattern: URLPattern) -> Iterator[Call]:
    callback: Any = pattern.callback
    actions = getattr(callback, "actions", None)
    if route.startswith("api/events/"):
        return  # signed by their sender: tests.hits.providers.test_signatures
    if actions is None:
        yield Call(route=route, method="get", action="", need=None)
        return
    needs = getattr(callback.cls, "needs", {})
    for method, action in actions.items():
        yield Call(
            route=route,
            method=method,
            action=action,
            need=needs.get(action),
            resource=_resource(route, getattr(callback.cls, action, None)),
            view=callback.cls,
        )


def _resource(route: str, method: Any) -> str:
    """The path of the list: what comes before a row's id, or before the name of an action on no row."""
    path = ID.split(route.replace("^", "").replace("$", ""))[0].removeprefix("api/").strip("/")
    return path if ID.search(route) else path.removesuffix(f"/{getattr(method, 'url_path', '')}")


def ask(client: Client, call: Call, public_id: object = "x", *, secret: str = "", body: Any = None) -> Any:
    """Make the call and roll back what it does, so that the next call meets the same rows."""
    headers = {"authorization": secret if " " in secret else f"Bearer {secret}"} if secret else {}
    with transaction.atomic():
        answer = getattr(client, call.method)(
            call.address(public_id),
            **({} if call.method == "get" else {"data": body or {}, "content_type": "application/json"}),
            headers=headers,
        )
        answer.getvalue()
        transaction.set_rollback(True)
    return answer

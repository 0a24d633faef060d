"""Errors of every address below /api/ are JSON, whoever asks and whatever goes wrong."""

import re
from typing import Any
from unittest.mock import patch

import pytest
from django.core.exceptions import SuspiciousOperation
from django.test import Client
from django.urls import get_resolver
from drf_spectacular.generators import EndpointEnumerator

from hits.api.me import MeView
from hits.api.throttling import ByToken
from tests.hits.calling import Notebook, notebook
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
ID = "5b3c8a52-6df4-4a3f-9a49-6f37d4b9c111"
NUMBER = "999999"
# Whoever holds a token reads these, whatever it is for.
FOR_ALL = {"/api/me/", "/api/schema/"}
BODIES = ("post", "put", "patch")
BROKEN = b'{"name": '


def endpoints() -> list[tuple[str, str]]:
    """Return method and address of all operations, with an id of no row where one has to be named."""
    enumerator: Any = EndpointEnumerator(patterns=get_resolver().url_patterns)
    found = [
        (method.lower(), re.sub(r"\{\w+\}", NUMBER if getattr(view.cls, "number", False) else ID, path))
        for path, _, method, view in enumerator.get_api_endpoints()
        if view.cls.__module__.startswith(("hits.", "scoring.", "qualifications.", "crowd."))
    ]
    assert len(found) > 60
    return found


ENDPOINTS = endpoints()


def call(client: Client, method: str, path: str, *, body: Any = b"{}", **headers: str) -> Any:
    return client.generic(method.upper(), path, body, content_type="application/json", headers=headers)


def faults(answer: Any, *statuses: int) -> list[str]:
    """Say what is wrong with this answer, if it should be an error in JSON."""
    if answer.status_code not in statuses:
        return [f"{answer.request['PATH_INFO']}: {answer.status_code}"]
    told = answer.headers["Content-Type"] == "application/json" and answer.json()
    return [] if told else [f"{answer.request['PATH_INFO']}: {answer.content[:80]!r}"]


def test_each_address_tells_in_json_that_a_token_is_missing_or_may_not() -> None:
    stranger, outsider = Client(), notebook(scopes=[])
    found = []
    with patch.object(ByToken, "allow_request", return_value=True):
        for method, path in ENDPOINTS:
            found += faults(call(stranger, method, path), 401)
            if path not in FOR_ALL:
                found += faults(call(outsider.client, method, path, **outsider.headers()), 403)

    assert found == []


def test_each_address_tells_in_json_of_a_row_that_is_missing_and_a_body_that_is_broken() -> None:
    user = make_permitted()
    user.is_superuser = True
    user.save()
    held = Notebook(user)
    found = []
    with patch.object(ByToken, "allow_request", return_value=True):
        for method, path in ENDPOINTS:
            if ID in path or NUMBER in path:
                found += faults(call(held.client, method, path, **held.headers()), 404, 400, 415)
            elif method in BODIES:
                found += faults(call(held.client, method, path, body=BROKEN, **held.headers()), 400, 415)
            found += faults(call(held.client, "trace", path, **held.headers()), 405)

    assert found == []


@pytest.mark.parametrize("path", ["/api/nothing/", "/api/studies/1/2/3/", "/api/nothing", "/api/"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_address_that_is_not_there_is_told_in_json(client: Client, method: str, path: str) -> None:
    assert faults(call(client, method, path), 404) == []


def test_address_without_its_slash_leads_to_the_one_with_it(client: Client) -> None:
    answer = client.get("/api/studies")

    assert (answer.status_code, answer["Location"]) == (301, "/api/studies/")


def test_description_of_the_api_is_refused_in_json(client: Client) -> None:
    held = notebook()

    told = call(held.client, "get", "/api/schema/", **held.headers())

    assert faults(call(client, "get", "/api/schema/"), 401) == []
    assert faults(call(held.client, "post", "/api/schema/", **held.headers()), 405) == []
    assert (told.status_code, told.headers["Content-Type"].partition(";")[0]) == (
        200,
        "application/vnd.oai.openapi",
    )


def test_who_takes_no_json_is_told_so_in_json() -> None:
    held = notebook("view_study")

    assert faults(call(held.client, "get", "/api/studies/", **held.headers(accept="text/html")), 406) == []


def test_pages_for_people_answer_as_before(client: Client) -> None:
    answer = client.get("/nothing/")

    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (404, "text/html")


@pytest.mark.parametrize(("error", "status"), [(SuspiciousOperation, 400), (ZeroDivisionError, 500)])
def test_error_that_nobody_foresaw_is_told_in_json_without_its_cause(
    error: type[Exception], status: int
) -> None:
    held = notebook()
    held.client.raise_request_exception = False

    with patch.object(MeView, "list", side_effect=error("the secret cause")):
        answer = held.get("me/")

    assert faults(answer, status) == []
    assert "secret" not in answer.content.decode()

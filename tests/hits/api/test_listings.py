"""Resources that are told column by column: who reads them, and how often they ask the database."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from drf_spectacular.generators import EndpointEnumerator

from hits.api.listings import Listing
from tests.hits.calling import notebook

pytestmark = pytest.mark.django_db


def listings() -> dict[str, type[Listing]]:
    """Return each listing of the whole site by its address below /api/."""
    enumerator: Any = EndpointEnumerator(patterns=get_resolver().url_patterns)
    found = {
        path.removeprefix("/api/"): view.cls
        for path, _, method, view in enumerator.get_api_endpoints()
        if method == "GET" and "{" not in path and issubclass(view.cls, Listing)
    }
    assert found
    return found


LISTINGS = listings()


@pytest.mark.parametrize(("path", "view"), LISTINGS.items())
def test_listing_is_for_people_with_its_permissions_and_tokens_with_its_scope(
    path: str, view: type[Listing]
) -> None:
    may, may_not, unscoped = notebook(*view.permissions), notebook(), notebook(*view.permissions, scopes=[])

    answers = [held.get(path) for held in (may, may_not, unscoped)]

    assert [answer.status_code for answer in answers] == [200, 403, 403]
    # What belongs to the whole site may have rows from the beginning.
    assert view.study_path is None or answers[0].json()["results"] == []


@pytest.mark.parametrize(("path", "view"), LISTINGS.items())
def test_filters_of_a_listing_are_lookups_that_the_database_knows(path: str, view: type[Listing]) -> None:
    held = notebook(*view.permissions)
    held.get(path)  # this use of the token is written down
    with CaptureQueriesContext(connection) as plain:
        held.get(path)
    for name, field in view.filters().fields.items():
        if name != "page_size":
            with CaptureQueriesContext(connection) as queries:
                answer = held.get(path, **{name: _value_for(field)})
            assert answer.status_code == 200, (name, answer.content)
            assert len(queries) == len(plain)

    assert held.get(path, nonsense="1").status_code == 400


def _value_for(field: Any) -> str:
    if hasattr(field, "choices"):
        return str(next(iter(field.choices)))
    return "5b3c8a52-6df4-4a3f-9a49-6f37d4b9c111" if type(field).__name__ == "UUIDField" else "1"

"""Resources that are told column by column: who reads them, and how often they ask the database."""

import pickle
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from drf_spectacular.generators import EndpointEnumerator

from hits.api.listings import Listing
from hits.api.pagination import ByAge
from qualifications.models import Gate
from tests.attacks.world import make_world
from tests.factories import make_user
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
COPIES = 3
PAGE = ByAge.paginate_queryset


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


def test_listings_ask_as_often_for_many_rows_as_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    make_world()
    held = Notebook(make_user(is_superuser=True))
    rows = {path: len(held.get(path).json()["results"]) for path in LISTINGS}

    few = {path: _queries_of(held, path) for path in LISTINGS}
    monkeypatch.setattr(ByAge, "paginate_queryset", _page_of_copies)
    many = {path: _queries_of(held, path) for path in LISTINGS}

    assert [path for path, count in rows.items() if not count] == []
    assert {path: (few[path], many[path]) for path in LISTINGS if few[path] != many[path]} == {}


def test_a_listing_that_asks_for_each_row_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    make_world()
    held = Notebook(make_user(is_superuser=True))
    view = LISTINGS["gates/"]
    held.get("gates/")
    monkeypatch.setattr(view, "queryset", Gate.objects.all())

    few = _queries_of(held, "gates/")
    monkeypatch.setattr(ByAge, "paginate_queryset", _page_of_copies)

    assert few < _queries_of(held, "gates/")


def _queries_of(held: Notebook, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert held.get(path).status_code == 200
    return len(queries)


def _page_of_copies(self: ByAge, queryset: Any, request: Any, view: Any = None) -> Any:
    """Return a page with each row several times. A copy has only what was read together with its row."""
    page = PAGE(self, queryset, request, view) or []
    return [pickle.loads(pickle.dumps(row)) for _ in range(COPIES) for row in page]  # noqa: S301 - our rows


def _value_for(field: Any) -> str:
    if hasattr(field, "choices"):
        return str(next(iter(field.choices)))
    return "5b3c8a52-6df4-4a3f-9a49-6f37d4b9c111" if type(field).__name__ == "UUIDField" else "1"

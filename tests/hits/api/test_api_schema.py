"""The API's description of itself, for programs and for people."""

from typing import Any

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from hits.api.docs import describe
from tests.factories import make_user
from tests.hits.calling import notebook

METHODS = ("get", "post", "patch", "delete", "put")


def generate() -> dict[str, Any]:
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: dict[str, Any] = generator.get_schema(request=None, public=True)
    return schema


def test_schema_is_valid_and_nothing_in_it_was_guessed() -> None:
    GENERATOR_STATS.reset()

    validate_schema(generate())  # type: ignore[no-untyped-call]

    assert not GENERATOR_STATS


def test_every_operation_has_words_and_a_group() -> None:
    schema = generate()
    operations = [
        methods[method] for methods in schema["paths"].values() for method in METHODS if method in methods
    ]

    assert len(operations) > 45
    assert [told["operationId"] for told in operations if not told.get("summary")] == []
    assert [told["operationId"] for told in operations if len(told.get("tags", [])) != 1] == []


def test_filters_and_the_key_are_described() -> None:
    paths = generate()["paths"]

    lists = {row["name"] for row in paths["/api/assignments/"]["get"]["parameters"]}
    made = {row["name"] for row in paths["/api/batches/"]["post"]["parameters"]}

    assert lists >= {"batch", "status", "worker", "kept_out", "submitted_since", "cursor", "page_size"}
    assert made == {"Idempotency-Key"}


@pytest.mark.django_db
def test_schema_is_served_to_who_holds_a_token(client: Client) -> None:
    held = notebook()

    assert client.get("/api/schema/").status_code == 401
    assert held.client.get("/api/schema/", headers=held.headers()).status_code == 200


@pytest.mark.django_db
def test_docs_page_shows_every_operation_without_a_script(client: Client) -> None:
    assert client.get("/api/docs/").status_code == 302
    client.force_login(make_user())

    page = client.get("/api/docs/").content.decode()

    names = [operation["id"] for group in describe() for operation in group["operations"]]
    assert len(names) > 45
    assert [name for name in names if f'id="{name}"' not in page] == []

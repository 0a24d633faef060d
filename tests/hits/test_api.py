import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.authtoken.models import Token

from tests.factories import make_batch, make_user

pytestmark = pytest.mark.django_db


def bearer(*permissions: str) -> dict[str, str]:
    user = make_user()
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return {"authorization": f"Token {Token.objects.create(user=user).key}"}


def test_batches_are_listed_with_their_counts(client: Client) -> None:
    batch = make_batch(hits_wanted=4, assignments_per_hit=3)

    answer = client.get("/api/batches/", headers=bearer("view_batch"))

    (row,) = answer.json()["results"]
    assert (row["public_id"], row["places"], row["submitted"]) == (str(batch.public_id), 12, 0)


@pytest.mark.parametrize(("headers", "status"), [(None, 401), ((), 403)])
def test_batches_need_a_token_and_the_permission(
    client: Client, headers: tuple[str, ...] | None, status: int
) -> None:
    make_batch()

    answer = client.get("/api/batches/", headers={} if headers is None else bearer(*headers))

    assert answer.status_code == status
    assert "results" not in answer.json()


def test_head_needs_the_permission_too(client: Client) -> None:
    assert client.head("/api/batches/", headers=bearer()).status_code == 403


def test_cursor_that_is_none_is_not_found(client: Client) -> None:
    answer = client.get("/api/batches/?cursor=cD1hYmM=", headers=bearer("view_batch"))

    assert answer.status_code == 404


def test_schema_describes_what_there_is(client: Client) -> None:
    answer = client.get("/api/schema/", headers={**bearer(), "accept": "application/json"})

    assert sorted(answer.json()["paths"]) == [
        "/api/batches/",
        "/api/batches/{public_id}/",
        "/api/studies/",
        "/api/studies/{public_id}/",
    ]

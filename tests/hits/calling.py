"""A client that holds an API token, for the tests of the API."""

import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from hits.identity.api_tokens import Scope, make_token
from hits.identity.models.users import User
from hits.studies.models import Study
from tests.people import make_permitted


class Notebook:
    """A client that speaks JSON with one token."""

    def __init__(self, user: User, *, scopes: Iterable[str] = Scope.values) -> None:
        self.user = user
        name = f"notebook {timezone.now().timestamp()}"
        self.token, self.secret = make_token(user=user, name=name, scopes=[*scopes], now=timezone.now())
        self.client = Client()

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/{path}", query, headers=self.headers())

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self._send("post", path, body, headers)

    def patch(self, path: str, body: Any) -> Any:
        return self._send("patch", path, body, {})

    def delete(self, path: str) -> Any:
        return self.client.delete(f"/api/{path}", headers=self.headers())

    def upload(self, path: str, file: Any) -> Any:
        return self.client.post(f"/api/{path}", {"file": file}, headers=self.headers())

    def headers(self, **more: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.secret}", **more}

    def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        return getattr(self.client, method)(
            f"/api/{path}",
            json.dumps({} if body is None else body),
            content_type="application/json",
            headers=self.headers(**headers),
        )


def notebook(*permissions: str, scopes: Iterable[str] = Scope.values, sees: Iterable[Study] = ()) -> Notebook:
    """Make the client of a user with these permissions, who is a member of these studies."""
    return Notebook(make_permitted(*permissions, studies=sees), scopes=scopes)


def expire(held: Notebook) -> None:
    held.token.expires_at = timezone.now() - timedelta(seconds=1)
    held.token.save()

"""Second factors of tests, and sign-ins by password as a browser makes them."""

from datetime import UTC, datetime
from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.core.errors import RuleBroken
from hits.identity.domain.totp import code_at, make_secret, step_of
from hits.identity.models.users import User
from hits.identity.services import second_factors

PASSWORD = "a right password"
# Before any code that a test takes from the clock.
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def set_up(user: User, *, now: datetime = LONG_AGO) -> tuple[str, list[str]]:
    """Set up a second factor. Return its secret and the recovery codes."""
    secret = make_secret()
    code = code_at(secret, step_of(now))
    return secret, second_factors.set_up(user=user, secret=secret, code=code, now=now)


def try_code(user: User, code: str, *, now: datetime) -> str:
    """Return the code of the refusal, or nothing for a code that was right."""
    try:
        second_factors.check_code(user=user, code=code, now=now)
    except RuleBroken as broken:
        return broken.code
    return ""


def code_of_now(secret: str) -> str:
    return code_at(secret, step_of(timezone.now()))


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in_by_password(user: User, *, agent: str = "", wanted: str = "") -> tuple[Client, Any]:
    """Sign in as a browser does. Return the client and the page that it comes to."""
    client = Client(headers={"User-Agent": agent})
    fields = {"username": user.username, "password": PASSWORD, "next": wanted or reverse("admin:index")}
    return client, client.post(reverse("admin:login"), fields, follow=True)

"""Signing in to the admin and the API: guessing passwords is limited, and the owner of the name is told."""

import pytest
from django.test import Client
from django.urls import reverse

from hits.admin.identity.signing_in import STOPPED
from hits.common import login_throttle
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from tests.caches import AWAY
from tests.factories import make_user
from tests.hits.calling import notebook

pytestmark = pytest.mark.django_db
PASSWORD = "a right password"


@pytest.fixture
def staff() -> User:
    user = make_user(is_superuser=True, username="Somebody")
    user.set_password(PASSWORD)
    user.save()
    return user


def try_password(password: str, *, name: str = "Somebody", address: str = "192.0.2.1") -> str:
    """Try to sign in. Returns the text of the page that the visitor comes to."""
    fields = {"username": name, "password": password, "next": reverse("admin:index")}
    answer = Client(REMOTE_ADDR=address).post(reverse("admin:login"), fields, follow=True)
    return str(answer.content.decode())


def is_in(page: str) -> bool:
    return "id_username" not in page


def guess(times: int, **given: str) -> None:
    for _ in range(times):
        assert not is_in(try_password("wrong", **given))


def test_after_wrong_passwords_even_the_right_one_is_not_tried(staff: User) -> None:
    guess(login_throttle.MOST_FAILURES)

    page = try_password(PASSWORD)

    assert not is_in(page)
    assert "too many wrong passwords" in page
    assert "wait a quarter of an hour" in page


def test_a_wrong_account_is_told_that_those_of_the_desk_do_not_work_here(staff: User) -> None:
    assert "Accounts of the marketplace’s desk do not work here" in try_password(
        "wrong", name="desk-operator"
    )


@pytest.mark.parametrize("name", ["SOMEBODY", "somebody"])
def test_a_name_in_other_letters_is_the_same_name(staff: User, name: str) -> None:
    guess(login_throttle.MOST_FAILURES, name=name)

    assert not is_in(try_password(PASSWORD))


def test_guessers_elsewhere_do_not_shut_the_owner_out(staff: User) -> None:
    guess(login_throttle.MOST_FAILURES, address="192.0.2.9")

    assert is_in(try_password(PASSWORD))


def test_the_owner_is_told_and_the_auditor_too(staff: User) -> None:
    guess(login_throttle.MOST_FAILURES + 3, address="192.0.2.9")

    first, second = try_password(PASSWORD), try_password(PASSWORD)

    assert "signing in under your name was stopped once" in first
    assert "was stopped" not in second
    assert AuditEvent.objects.filter(kind=STOPPED, by=staff).count() == 1


def test_of_a_name_that_nobody_has_nothing_is_kept() -> None:
    guess(login_throttle.MOST_FAILURES, name="nobody")

    assert not AuditEvent.objects.exists()
    assert "too many wrong passwords" in try_password(PASSWORD, name="nobody")


def test_a_few_mistakes_are_forgiven(staff: User) -> None:
    guess(login_throttle.MOST_FAILURES - 1)

    page = try_password(PASSWORD)

    assert is_in(page)
    assert "was stopped" not in page


def test_a_lost_redis_opens_no_door(staff: User, settings: object) -> None:
    settings.CACHES = AWAY  # type: ignore[attr-defined]
    guess(login_throttle.MOST_FAILURES)

    assert not is_in(try_password(PASSWORD))


def test_unknown_tokens_are_not_tried_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_throttle, "MOST_FAILURES_FROM_ADDRESS", 3)
    known, stranger = notebook("view_study"), Client(REMOTE_ADDR="192.0.2.1")
    headers = {"Authorization": "Bearer crowd_guessed"}

    answers = [stranger.get("/api/studies/", headers=headers).status_code for _ in range(5)]
    right = stranger.get("/api/studies/", headers=known.headers()).status_code

    assert answers == [401, 401, 401, 429, 429]
    assert (right, known.get("studies/").status_code) == (429, 200)


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_who_asked_for_a_page_elsewhere_comes_to_the_first_page(staff: User, wanted: str) -> None:
    fields = {"username": "Somebody", "password": PASSWORD, "next": wanted}

    answer = Client().post(reverse("admin:login"), fields, follow=True)

    assert (answer.status_code, answer.redirect_chain) == (200, [(reverse("admin:index"), 302)])

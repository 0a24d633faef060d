"""Where staff are signed in: shown to themselves, ended by themselves, by a new password, by an operator."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from hits.identity.models.staff_sessions import StaffSession
from hits.identity.models.users import User
from hits.identity.services import second_factors
from hits.identity.services.staff_sessions import KEPT, SEEN_EVERY_S, sessions_of
from tests.factories import make_user
from tests.hits.identity.factors import PASSWORD, code_of_now, set_up, sign_in_by_password, with_password
from tests.pages import text_of
from tests.people import client_of

pytestmark = pytest.mark.django_db
SESSIONS = "/admin/sessions/"
PHONE = "Mozilla/5.0 (Linux; Android 15) Gecko/20100101 Firefox/140.0"
DESK = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
NEW = "another right one"


@pytest.fixture
def user() -> User:
    return with_password(make_user())


def is_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


def devices(user: User) -> set[str]:
    return {row.device for row in sessions_of(user, now=timezone.now())}


def row_of(client: Client) -> StaffSession:
    return StaffSession.objects.get(session_key=client.session.session_key)


def move_back(client: Client, seconds: int) -> None:
    """Let the session have been seen so many seconds earlier."""
    session = client.session
    session[KEPT] = {**session[KEPT], "seen": session[KEPT]["seen"] - seconds}
    session.save()
    StaffSession.objects.update(seen_at=timezone.now() - timedelta(seconds=seconds))


def test_a_page_shows_where_one_is_signed_in_and_marks_this_one(user: User) -> None:
    phone, _ = sign_in_by_password(user, agent=PHONE)
    sign_in_by_password(user, agent=DESK)
    sign_in_by_password(with_password(make_user()), agent=PHONE)

    page = text_of(phone.get(SESSIONS))

    assert 'Firefox on Android <span class="tag good">this one</span>' in page
    assert page.count("Firefox on Android") == 1
    assert page.count("Firefox on Windows") == 2
    assert page.count('class="tag good"') == 1


def test_one_session_is_ended_and_the_others_go_on(user: User) -> None:
    phone, _ = sign_in_by_password(user, agent=PHONE)
    desk, _ = sign_in_by_password(user, agent=DESK)

    answer = desk.post(f"{SESSIONS}{row_of(phone).pk}/end/", follow=True)

    assert "Signed out: Firefox on Android." in text_of(answer)
    assert (is_in(phone), is_in(desk)) == (False, True)
    assert devices(user) == {"Firefox on Windows"}


def test_all_others_are_ended_at_once(user: User) -> None:
    others = [client_of(user) for _ in range(3)]
    here, stranger = client_of(user), client_of(make_user())

    here.post(f"{SESSIONS}end/")

    assert [is_in(one) for one in [*others, here, stranger]] == [False, False, False, True, True]
    assert StaffSession.objects.filter(user=user).count() == 1


def test_sessions_of_others_cannot_be_ended(user: User) -> None:
    other = client_of(user)
    row = row_of(other)

    answer = client_of(make_user()).post(f"{SESSIONS}{row.pk}/end/")

    assert answer.status_code == 404
    assert is_in(other)


def test_looking_at_the_page_ends_nothing(user: User) -> None:
    first, second = client_of(user), client_of(user)

    statuses = [
        first.get(address).status_code
        for address in (f"{SESSIONS}end/", f"{SESSIONS}{row_of(second).pk}/end/")
    ]

    assert statuses == [405, 405]
    assert is_in(second)


def test_a_new_password_ends_the_others(user: User) -> None:
    other, _ = sign_in_by_password(user, agent=PHONE)
    here, _ = sign_in_by_password(user, agent=DESK)
    fields = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}

    here.post("/admin/password_change/", fields, follow=True)

    user.refresh_from_db()
    assert user.check_password(NEW)
    assert devices(user) == {"Firefox on Windows"}
    assert (is_in(other), is_in(here)) == (False, True)


def test_the_session_of_a_new_password_or_factor_keeps_its_beginning(user: User) -> None:
    client, _ = sign_in_by_password(user, agent=DESK)
    began = row_of(client).began_at
    secret, _ = set_up(user)

    client.post("/admin/second-factor/code/", {"code": code_of_now(secret)})

    (row,) = sessions_of(user, now=timezone.now())
    assert (row.session_key, row.began_at) == (client.session.session_key, began)
    assert client.session[second_factors.PASSED] == User.objects.get(pk=user.pk).second_factor_id


def test_a_session_is_noted_as_seen_once_in_five_minutes(user: User, django_assert_num_queries: Any) -> None:
    client = client_of(user)
    move_back(client, SEEN_EVERY_S // 2)
    before = row_of(client).seen_at
    client.get(SESSIONS)
    assert row_of(client).seen_at == before

    move_back(client, SEEN_EVERY_S + 1)
    client.get(SESSIONS)

    assert timezone.now() - row_of(client).seen_at < timedelta(minutes=1)


def test_a_page_queries_nothing_more_for_a_session_that_was_just_seen(
    user: User, django_assert_num_queries: Any
) -> None:
    client = client_of(user)

    with django_assert_num_queries(2):  # the session and the user, as ever
        client.get("/admin/jsi18n/")


def test_a_session_from_before_this_version_gets_its_row_when_it_is_used(user: User) -> None:
    client = client_of(user)
    session = client.session
    del session[KEPT]
    session.save()
    StaffSession.objects.all().delete()

    client.get("/admin/", headers={"User-Agent": DESK})

    assert devices(user) == {"Firefox on Windows"}


def test_rows_of_ended_sessions_go_with_the_next_sign_in(user: User) -> None:
    for _ in range(3):
        client_of(user).post("/admin/logout/")
    expired = client_of(user)
    Session.objects.filter(pk=expired.session.session_key).update(expire_date=timezone.now())

    client_of(user)

    assert StaffSession.objects.filter(user=user).count() == 1

"""The pages of a user's own second factor, as a person goes through them."""

import re
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from hits.identity.domain.totp import code_at, step_of
from hits.identity.models.second_factors import RecoveryCode
from hits.identity.models.users import User
from hits.identity.roles import PAYMENTS_APPROVER
from hits.identity.services.second_factors import RECOVERY_CODES
from tests.factories import make_user
from tests.hits.identity.factors import code_of_now, set_up, sign_in_by_password, with_password
from tests.pages import text_of
from tests.people import client_of, make_member

pytestmark = pytest.mark.django_db
OVERVIEW, SET_UP = "/admin/second-factor/", "/admin/second-factor/set-up/"
CODE, CODES, REMOVE = (
    "/admin/second-factor/code/",
    "/admin/second-factor/codes/",
    "/admin/second-factor/remove/",
)
RECOVERY = re.compile(r"(?<![\w-])[a-z2-7]{4}(?:-[a-z2-7]{4}){3}(?![\w-])")


@pytest.fixture
def user() -> User:
    return with_password(make_user())


def secret_on(page: Any) -> str:
    found = re.search(r'<code class="written">([A-Z2-7 ]+)</code>', text_of(page))
    assert found
    return found[1].replace(" ", "")


def pass_gate(client: Client, secret: str) -> None:
    assert client.post(CODE, {"code": code_of_now(secret)}).status_code == 302


def test_it_is_set_up_with_a_pattern_and_a_first_code(user: User) -> None:
    client = client_of(user)
    page = client.get(SET_UP)
    secret = secret_on(page)

    wrong = client.post(SET_UP, {"code": "000000"})
    done = client.post(SET_UP, {"code": code_of_now(secret)})

    assert "<svg" in text_of(page)
    assert "style=" not in re.search(r"<figure.*?</figure>", text_of(page))[0]  # type: ignore[index]
    assert (wrong.status_code, secret_on(wrong)) == (400, secret)
    shown = RECOVERY.findall(text_of(done))
    assert len(shown) == RECOVERY_CODES == RecoveryCode.objects.count()
    assert client.get("/admin/").status_code == 200
    assert "10 of your recovery codes" in text_of(client.get(OVERVIEW))
    assert not RECOVERY.search(text_of(client.get(OVERVIEW)))


def test_the_secret_waits_in_the_session_encrypted_and_each_person_gets_another(user: User) -> None:
    client, other = client_of(user), client_of(make_user())

    secret, of_other = secret_on(client.get(SET_UP)), secret_on(other.get(SET_UP))

    assert secret != of_other
    assert secret not in str(dict(client.session.items()))


def test_who_must_have_one_is_told_why_and_gets_on_after_it(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "payments"
    approver = with_password(make_member(PAYMENTS_APPROVER))

    client, page = sign_in_by_password(approver)
    client.post(SET_UP, {"code": code_of_now(secret_on(page))})

    assert page.request["PATH_INFO"] == SET_UP
    assert "you need a second factor before anything else opens" in text_of(page)
    assert 'id="nav-sidebar"' not in text_of(page)
    assert client.get("/admin/payments/").status_code == 200


def test_a_lost_phone_is_helped_by_a_recovery_code(user: User) -> None:
    _, codes = set_up(user)
    client, _ = sign_in_by_password(user)

    answer = client.post(CODE, {"code": codes[0]})
    again, _ = sign_in_by_password(user)
    refused = again.post(CODE, {"code": codes[0]})

    assert answer.headers["Location"] == "/admin/"
    assert refused.status_code == 400


def test_who_has_few_recovery_codes_left_is_told(user: User) -> None:
    _, codes = set_up(user)
    RecoveryCode.objects.filter(pk__in=list(RecoveryCode.objects.values_list("pk", flat=True)[1:8])).delete()
    client, _ = sign_in_by_password(user)

    page = client.post(CODE, {"code": codes[0]}, follow=True)

    assert "Recovery codes left: 2." in text_of(page)


def test_new_recovery_codes_want_a_code(user: User) -> None:
    secret, _ = set_up(user)
    client, step = client_of(user), step_of(timezone.now())
    client.post(CODE, {"code": code_at(secret, step)})

    wrong = client.post(CODES, {"code": code_at(secret, step)})
    right = client.post(CODES, {"code": code_at(secret, step + 1)})

    assert "used before" in text_of(wrong)
    assert len(RECOVERY.findall(text_of(right))) == RECOVERY_CODES


def test_removal_wants_a_code_too(user: User) -> None:
    secret, codes = set_up(user)
    client = client_of(user)
    pass_gate(client, secret)

    wrong = client.post(REMOVE, {"code": "000000"})
    assert (wrong.status_code, "This code is wrong" in text_of(wrong)) == (400, True)
    assert client.post(REMOVE, {"code": codes[0]}).headers["Location"] == OVERVIEW

    assert User.objects.get(pk=user.pk).second_factor is None
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("address", [OVERVIEW, SET_UP, CODE])
def test_nothing_of_it_is_kept_by_browsers(user: User, address: str) -> None:
    if address != SET_UP:
        set_up(user)

    assert "no-store" in client_of(user).get(address).headers["Cache-Control"]

"""Sign-in by OpenID Connect: who gets in, and which answers are not believed."""

from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.openid_links import OpenIdLink
from hits.identity.models.users import User
from hits.identity.services import identity_provider
from hits.identity.services.openid_sign_in import BEGUN, LONGEST_S
from hits.identity.services.staff_sessions import sessions_of
from tests.factories import NOW, make_user
from tests.hits.identity.factors import set_up, sign_in_by_password, with_password
from tests.hits.identity.signers import CLIENT, EC, ISSUER, OTHER_RSA, RSA, Signer
from tests.pages import text_of

pytestmark = pytest.mark.django_db
BEGIN, BACK = "/admin/openid/", "/admin/openid/back/"
EMAIL = {"email": "ada@example.org", "email_verified": True}


@pytest.fixture
def signer(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Signer:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = ISSUER, CLIENT, "secret"
    one = Signer(changes=dict(EMAIL))
    monkeypatch.setattr(identity_provider, "_ask", one.answer)
    return one


@pytest.fixture
def user() -> User:
    return with_password(make_user(email="Ada@example.org"))


def begin(client: Client, signer: Signer, *, wanted: str = "") -> dict[str, str]:
    """Begin at our page, as a browser does. Return what is asked of the provider."""
    away = client.get(BEGIN, {"next": wanted})
    address = urlsplit(away.headers["Location"])
    assert address.geturl().startswith(f"{ISSUER}/authorization?")
    asked = {name: value for name, (value,) in parse_qs(address.query).items()}
    signer.nonce = asked["nonce"]
    return asked


def come_back(client: Client, signer: Signer, **changes: str) -> Any:
    asked = begin(client, signer)
    return client.get(BACK, {"code": "code-1", "state": asked["state"], **changes}, follow=True)


def is_in(client: Client) -> bool:
    return client.get("/admin/").status_code == 200


def test_whoever_the_provider_knows_by_a_confirmed_address_gets_in(user: User, signer: Signer) -> None:
    client = Client()
    asked = begin(client, signer, wanted="/admin/hits/study/")

    answer = client.get(BACK, {"code": "code-1", "state": asked["state"], "iss": ISSUER})

    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/hits/study/")
    assert client.session["_auth_user_id"] == str(user.pk)
    link = OpenIdLink.objects.get()
    assert (link.user, link.issuer, link.subject) == (user, ISSUER, "subject-1")
    assert AuditEvent.objects.get().kind == "sign_in.linked"
    assert len(sessions_of(user, now=timezone.now())) == 1


def test_the_provider_is_asked_with_pkce_and_our_own_address(user: User, signer: Signer) -> None:
    client = Client()
    asked = begin(client, signer)

    client.get(BACK, {"code": "code-1", "state": asked["state"]})

    (sent,) = signer.asked
    digest = urlsafe_b64encode(sha256(sent["code_verifier"].encode()).digest()).decode().rstrip("=")
    assert (asked["code_challenge"], asked["code_challenge_method"]) == (digest, "S256")
    assert asked["redirect_uri"] == sent["redirect_uri"] == f"http://127.0.0.1:8000{BACK}"
    assert (asked["response_type"], sent["code"]) == ("code", "code-1")


def test_a_link_outlives_the_address_and_needs_no_confirmed_one(user: User, signer: Signer) -> None:
    OpenIdLink.objects.create(user=user, issuer=ISSUER, subject="subject-1", linked_at=NOW)
    signer.changes = {"email": "someone.else@example.org", "email_verified": False}
    client = Client()

    come_back(client, signer)

    assert client.session["_auth_user_id"] == str(user.pk)
    assert OpenIdLink.objects.count() == 1


def test_an_address_that_is_told_only_when_asked_again_counts_too(user: User, signer: Signer) -> None:
    signer.changes, signer.about = {}, {**EMAIL, "sub": "subject-1"}
    client = Client()

    come_back(client, signer)

    assert is_in(client)


def test_another_kind_of_key_is_taken_too(user: User, signer: Signer) -> None:
    signer.key, signer.algorithm, signer.kid = EC, "ES256", "second"
    client = Client()

    come_back(client, signer)

    assert is_in(client)


def test_a_second_factor_is_asked_for_all_the_same(user: User, signer: Signer) -> None:
    set_up(user)
    client = Client()

    page = come_back(client, signer)

    assert page.request["PATH_INFO"] == "/admin/second-factor/code/"
    assert not is_in(client)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"nonce": "another"}, "belongs to another sign-in"),
        ({"nonce": None}, "belongs to another sign-in"),
        ({"iss": "https://evil.example"}, "Invalid issuer"),
        ({"aud": "another site"}, "Audience doesn"),
        ({"aud": [CLIENT, "other"], "azp": "other"}, "made for another site"),
        ({"exp": NOW.timestamp()}, "Signature has expired"),
        ({"exp": None}, "missing the"),
        ({"sub": None}, "missing the"),
        ({"iat": 32_503_680_000}, "not yet valid"),
        ({"email_verified": False}, "no account here is yours"),
        ({"email_verified": "true"}, "no account here is yours"),
        ({"email_verified": None}, "no account here is yours"),
        ({"email": "nobody@example.org"}, "no account here is yours"),
        ({"email": ""}, "no account here is yours"),
    ],
)
def test_what_the_provider_must_not_say_signs_nobody_in(
    user: User, signer: Signer, changes: dict[str, Any], words: str
) -> None:
    signer.changes |= changes
    if "nonce" not in changes:
        signer.changes.pop("nonce", None)
    client = Client()

    page = come_back(client, signer)

    assert words in text_of(page).replace("&#x27;", "'")
    assert not is_in(client)
    assert not OpenIdLink.objects.exists()


@pytest.mark.parametrize(
    ("key", "algorithm", "kid"),
    [
        (OTHER_RSA, "RS256", "first"),
        (RSA, "RS256", "unknown"),
        (EC, "ES256", "first"),
        (RSA, "RS512", "first"),
        ("a secret that both may know, long enough", "HS256", "first"),
        (None, "none", "first"),
    ],
)
def test_another_key_signs_nobody_in(user: User, signer: Signer, key: Any, algorithm: str, kid: str) -> None:
    signer.key, signer.algorithm, signer.kid = key, algorithm, kid
    client = Client()

    come_back(client, signer)

    assert not is_in(client)
    assert not OpenIdLink.objects.exists()


def test_a_clock_may_go_a_minute_wrong(user: User, signer: Signer) -> None:
    now = timezone.now().timestamp()
    signer.changes |= {"exp": now - 30, "iat": now + 30}
    client = Client()

    come_back(client, signer)

    assert is_in(client)


def test_an_answer_is_taken_once(user: User, signer: Signer) -> None:
    client = Client()
    asked = begin(client, signer)
    answer = {"code": "code-1", "state": asked["state"]}
    client.get(BACK, answer)
    client.post("/admin/logout/")

    again = client.get(BACK, answer, follow=True)

    assert "was not begun here, or is over" in text_of(again)
    assert not is_in(client)
    assert len(signer.asked) == 1


@pytest.mark.parametrize("changes", [{"state": "another"}, {"state": ""}, {"iss": "https://evil.example"}])
def test_the_answer_to_another_question_is_not_even_asked_about(
    user: User, signer: Signer, changes: dict[str, str]
) -> None:
    client = Client()

    come_back(client, signer, **changes)

    assert not is_in(client)
    assert signer.asked == []


def test_an_answer_that_comes_in_another_browser_signs_nobody_in(user: User, signer: Signer) -> None:
    asked = begin(Client(), signer)
    other = Client()

    page = other.get(BACK, {"code": "code-1", "state": asked["state"]}, follow=True)

    assert "was not begun here" in text_of(page)
    assert not is_in(other)


def test_an_answer_that_comes_too_late_signs_nobody_in(user: User, signer: Signer) -> None:
    client = Client()
    asked = begin(client, signer)
    session = client.session
    session[BEGUN] = {**session[BEGUN], "at": session[BEGUN]["at"] - timedelta(seconds=LONGEST_S + 1).seconds}
    session.save()

    client.get(BACK, {"code": "code-1", "state": asked["state"]})

    assert not is_in(client)


def test_who_declined_at_the_provider_is_told_so(user: User, signer: Signer) -> None:
    client = Client()
    asked = begin(client, signer)

    page = client.get(BACK, {"error": "access_denied", "state": asked["state"]}, follow=True)

    assert "The identity provider did not sign you in." in text_of(page)


def test_it_tells_of_somebody_else_when_asked_again(user: User, signer: Signer) -> None:
    signer.changes, signer.about = {}, {**EMAIL, "sub": "subject-2"}
    client = Client()

    come_back(client, signer)

    assert not is_in(client)


@pytest.mark.parametrize("changes", [{"is_superuser": True}, {"is_active": False}, {"is_staff": False}])
def test_no_address_links_a_superuser_or_who_may_not_sign_in(signer: Signer, changes: dict[str, Any]) -> None:
    make_user(email="ada@example.org", **changes)
    client = Client()

    come_back(client, signer)

    assert not is_in(client)
    assert not OpenIdLink.objects.exists()


def test_an_address_of_two_users_links_neither(user: User, signer: Signer) -> None:
    make_user(email="ada@example.org")

    come_back(Client(), signer)

    assert not OpenIdLink.objects.exists()


def test_an_address_that_went_to_another_person_opens_nothing(user: User, signer: Signer) -> None:
    OpenIdLink.objects.create(user=user, issuer=ISSUER, subject="earlier", linked_at=NOW)
    client = Client()

    page = come_back(client, signer)

    assert "belongs to another person" in text_of(page)
    assert not is_in(client)


def test_a_linked_user_who_was_made_inactive_stays_out(user: User, signer: Signer) -> None:
    OpenIdLink.objects.create(user=user, issuer=ISSUER, subject="subject-1", linked_at=NOW)
    User.objects.filter(pk=user.pk).update(is_active=False)
    client = Client()

    page = come_back(client, signer)

    assert "Your account here is closed." in text_of(page)
    assert not is_in(client)


def test_a_provider_of_another_name_is_not_gone_to(user: User, signer: Signer) -> None:
    signer.issuer = "https://evil.example"

    page = Client().get(BEGIN, follow=True)

    assert "calls itself" in text_of(page)


def test_without_the_setting_there_is_no_such_page(user: User) -> None:
    assert [Client().get(address).status_code for address in (BEGIN, BACK)] == [404, 404]
    assert "Sign in by your institution" not in text_of(Client().get("/admin/login/"))


@pytest.mark.parametrize("is_on", [True, False])
def test_passwords_stay_unless_they_are_switched_off(
    user: User, signer: Signer, settings: LazySettings, is_on: bool
) -> None:
    settings.PASSWORD_SIGN_IN = is_on
    root = with_password(make_user(is_superuser=True))

    _, page = sign_in_by_password(user)
    last_way, _ = sign_in_by_password(root)

    assert ("Passwords are switched off here" in text_of(page)) != is_on
    assert (page.request["PATH_INFO"] == "/admin/") == is_on
    assert is_in(last_way)
    assert "Sign in by your institution" in text_of(Client().get("/admin/login/?next=/admin/hits/run/"))

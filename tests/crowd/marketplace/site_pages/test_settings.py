"""Passwords, registration and the settings that workers decide themselves."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.conf import settings as project
from django.contrib.auth.hashers import identify_hasher, make_password
from django.utils import timezone

from crowd.marketplace.models.parties import Worker, WorkerSession
from crowd.marketplace.services import erasure, worker_sign_in
from crowd.marketplace.site.session import COOKIE
from hits.common import login_throttle
from tests.crowd.marketplace.site import Browser, group_path, open_hit, signed_in, stranger, text_of
from tests.factories import invite

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_window")]

PASSWORD = "a plain long sentence"
NEW = "another plain sentence"
WRONG = "Sign-in name and password do not match."


@pytest.fixture(autouse=True)
def _quick_hashes(settings: LazySettings) -> None:
    """Hash quickly; argon2 is slow on purpose, and these tests are not about it."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def known(name: str = "jo.doe") -> Worker:
    worker, _ = invite(now=timezone.now())
    worker.sign_in_name, worker.password = name, make_password(PASSWORD)
    worker.save()
    return worker


def try_in(client: Any, name: str = "jo.doe", password: str = PASSWORD, **fields: str) -> Any:
    return client.post("/sign-in/", {"sign_in_name": name, "password": password, **fields})


def change(browser: Browser, **changes: str) -> Any:
    fields = {"sign_in_name": "jo.doe", "password": NEW, "again": NEW, **changes}
    return browser.client.post("/settings/password/", fields)


def with_password() -> Browser:
    browser = signed_in()
    Worker.objects.filter(pk=browser.worker.pk).update(
        sign_in_name="jo.doe", password=make_password(PASSWORD)
    )
    return browser


@pytest.mark.parametrize("name", ["jo.doe", "Jo.Doe"])
def test_password_signs_in_with_a_session_of_its_own(name: str) -> None:
    worker, client = known(), stranger()
    old = worker_sign_in.sign_in(worker=signed_in().worker, now=timezone.now())
    client.cookies[COOKIE] = old

    response = try_in(client, name)

    assert (response.status_code, response["Location"]) == (302, "/")
    assert client.cookies[COOKIE].value != old
    assert (worker.sessions.count(), WorkerSession.objects.count()) == (1, 2)
    assert "Find work" in text_of(client.get("/"))


def test_unknown_name_and_wrong_password_look_alike() -> None:
    known()

    answers = [
        try_in(stranger(), "nobody"),
        try_in(stranger(), password="wrong"),
        try_in(stranger(), "", ""),
    ]

    assert [answer.status_code for answer in answers] == [422] * 3
    assert [WRONG in text_of(answer) for answer in answers] == [True] * 3
    assert WorkerSession.objects.count() == 0


def test_unknown_name_costs_a_hash_too(monkeypatch: pytest.MonkeyPatch) -> None:
    known()
    hashed: list[str] = []
    hasher = type(identify_hasher(make_password("x")))
    encode = hasher.encode

    def count(self: Any, password: str, salt: str) -> str:
        hashed.append(password)
        return str(encode(self, password, salt))

    monkeypatch.setattr(hasher, "encode", count)

    costs = []
    for name in ("jo.doe", "nobody"):
        hashed.clear()
        try_in(stranger(), name, "wrong")
        costs.append(len(hashed))

    assert costs == [1, 1]


def test_guessing_is_stopped_for_this_name_and_address_only() -> None:
    known()
    known("other")
    for _ in range(login_throttle.MOST_FAILURES):
        try_in(stranger(), password="wrong")

    stopped = try_in(stranger())
    elsewhere = stranger().post(
        "/sign-in/", {"sign_in_name": "jo.doe", "password": PASSWORD}, REMOTE_ADDR="192.0.2.7"
    )

    assert (stopped.status_code, stopped["Retry-After"]) == (429, "900")
    assert "Wait 15 minutes, and try again." in text_of(stopped)
    assert [elsewhere.status_code, try_in(stranger(), "other").status_code] == [302, 302]


@pytest.mark.parametrize("typed", ["jo.doe\n127.0.0.1", "127.0.0.1\njo.doe", "\n127.0.0.1"])
def test_name_typed_elsewhere_counts_for_no_other_place(typed: str) -> None:
    known()
    for number in range(login_throttle.MOST_FAILURES_FROM_ADDRESS):
        fields = {"sign_in_name": typed, "password": "wrong"}
        stranger().post("/sign-in/", fields, REMOTE_ADDR=f"192.0.2.{number}")

    assert try_in(stranger()).status_code == 302


def test_success_is_not_counted_as_failure() -> None:
    known()

    answers = [try_in(stranger()) for _ in range(login_throttle.MOST_FAILURES + 2)]

    assert {answer.status_code for answer in answers} == {302}


def test_address_behind_a_proxy_is_the_one_the_proxy_saw(settings: LazySettings) -> None:
    known()
    settings.BEHIND_PROXY = True

    def attempt(address: str, password: str) -> int:
        fields = {"sign_in_name": "jo.doe", "password": password}
        return int(
            stranger().post("/sign-in/", fields, HTTP_X_FORWARDED_FOR=f"forged, {address}").status_code
        )

    for _ in range(login_throttle.MOST_FAILURES):
        attempt("192.0.2.1", "wrong")

    assert [attempt("192.0.2.1", PASSWORD), attempt("192.0.2.2", PASSWORD)] == [429, 302]


def test_suspended_worker_gets_in_and_is_told() -> None:
    worker, client = known(), stranger()
    Worker.objects.filter(pk=worker.pk).update(suspended_at=timezone.now())

    answers = [try_in(client), try_in(stranger(), password="wrong")]

    assert [answer.status_code for answer in answers] == [302, 422]
    page = text_of(client.get("/"))
    assert "Your account is suspended." in page
    assert "New HITs appear here" not in page


def test_worker_erased_while_signing_in_stays_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The erasure happens between the check of the password and the start of the session."""
    worker, client = known(), stranger()
    erasure.erase_worker(worker_id=worker.pk, in_spite_of_obstacles=False, now=timezone.now())
    monkeypatch.setattr("crowd.marketplace.services.accounts.find_by_password", lambda **_: worker)

    response = try_in(client)

    assert (response.status_code, "This account was erased." in text_of(response)) == (403, True)
    assert (WorkerSession.objects.count(), COOKIE in client.cookies) == (0, False)


def test_signing_in_makes_a_csrf_token_anew() -> None:
    known()
    client = stranger(enforce_csrf_checks=True)
    client.get("/sign-in/")
    before = client.cookies[project.CSRF_COOKIE_NAME].value

    try_in(client, csrfmiddlewaretoken=before)

    assert client.cookies[project.CSRF_COOKIE_NAME].value != before
    assert client.post("/settings/sessions/end/", {"csrfmiddlewaretoken": before}).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "led_to"),
    [
        ("/history/", "/history/"),
        ("/?q=a", "/?q=a"),
        ("//example.org", "/"),
        ("https://example.org/", "/"),
        ("/\\example.org", "/"),
        ("javascript:alert(1)", "/"),
        ("history", "/"),
        ("/\n/example.org", "/"),
    ],
)
def test_sign_in_leads_on_within_the_site_only(wanted: str, led_to: str) -> None:
    known()

    assert try_in(stranger(), wanted=wanted)["Location"] == led_to


def test_page_that_was_wanted_is_shown_after_signing_in() -> None:
    hit = open_hit()

    page = stranger().get(group_path(hit))

    assert f'name="wanted" value="{group_path(hit)}"' in page.content.decode()


def test_registration_is_closed_unless_it_is_opened() -> None:
    fields = {"name": "Jo", "sign_in_name": "jo.doe", "password": PASSWORD, "again": PASSWORD}

    answers = [stranger().get("/register/"), stranger().post("/register/", fields)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert Worker.objects.count() == 0


def test_registration_makes_a_worker_and_signs_in(settings: LazySettings) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = True
    client = stranger()
    fields = {"name": "Jo", "sign_in_name": "Jo.Doe", "password": PASSWORD, "again": PASSWORD}

    response = client.post("/register/", fields)

    worker = Worker.objects.get()
    assert (response.status_code, worker.name, worker.sign_in_name) == (302, "Jo", "jo.doe")
    assert PASSWORD not in worker.password
    assert "Find work" in text_of(client.get("/"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sign_in_name": "TAKEN"}, "Another person has this sign-in name."),
        ({"sign_in_name": "a b"}, "Use letters, digits"),
        ({"sign_in_name": "ab"}, "at least 3 characters"),
        ({"again": "other"}, "The two passwords differ."),
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "password", "again": "password"}, "too common"),
        ({"password": "jo.doe.jo", "again": "jo.doe.jo"}, "too similar"),
        ({"name": ""}, "This field is required."),
        ({"name": "a\0b"}, "Null characters are not allowed."),
        ({"name": "a\u2028b"}, "Leave out line breaks"),
        ({"name": "a\x85b"}, "Leave out line breaks"),
        ({"name": "a\tb"}, "Leave out line breaks"),
    ],
)
def test_registration_refuses_with_a_reason(
    settings: LazySettings, changes: dict[str, str], said: str
) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = True
    known("taken")
    fields = {"name": "Jo", "sign_in_name": "jo.doe.jo", "password": PASSWORD, "again": PASSWORD, **changes}

    response = stranger().post("/register/", fields)

    assert (response.status_code, Worker.objects.count()) == (422, 1)
    assert said in text_of(response)


def test_first_password_needs_no_present_one() -> None:
    browser = signed_in()
    before = text_of(browser.get("/settings/"))

    response = change(browser)

    assert "from then on your invitation link no longer works" in before
    browser.worker.refresh_from_db()
    assert (response["Location"], browser.worker.sign_in_name) == ("/settings/?saved=password", "jo.doe")
    assert try_in(stranger(), password=NEW).status_code == 302


def test_new_password_ends_every_other_session() -> None:
    browser = with_password()
    elsewhere = stranger()
    elsewhere.cookies[COOKIE] = worker_sign_in.sign_in(worker=browser.worker, now=timezone.now())

    change(browser, present=PASSWORD)

    assert "Find work" in text_of(browser.get("/"))
    assert "You are not signed in" in text_of(elsewhere.get("/"))
    assert [try_in(stranger(), password=word).status_code for word in (PASSWORD, NEW)] == [422, 302]


@pytest.mark.parametrize("present", ["", "wrong"])
def test_password_is_not_changed_without_the_present_one(present: str) -> None:
    browser = with_password()

    response = change(browser, present=present)

    assert response.status_code == 422
    page = response.content.decode()
    assert 'role="alert" tabindex="-1" autofocus' in page
    assert '<a href="#id_present">Present password</a>' in page
    assert [try_in(stranger(), password=word).status_code for word in (PASSWORD, NEW)] == [302, 422]


def test_sign_in_name_of_somebody_else_is_refused() -> None:
    known()
    browser = signed_in()

    response = change(browser)

    assert response.status_code == 422
    assert "Another person has this sign-in name." in text_of(response)
    browser.worker.refresh_from_db()
    assert (browser.worker.sign_in_name, browser.worker.password) == (None, "")


def test_country_can_be_told_once(browser: Browser) -> None:
    told = {"name": "Jo", "country": "US", "subdivision": "pa", "is_adult": "on"}
    browser.client.post("/settings/about/", told)

    browser.client.post("/settings/about/", {"name": "Jo D", "country": "CA", "subdivision": "ON"})

    browser.worker.refresh_from_db()
    assert (browser.worker.country, browser.worker.subdivision) == ("US", "PA")
    assert (browser.worker.name, browser.worker.is_adult) == ("Jo D", False)
    assert "Country United States (PA)" in text_of(browser.get("/settings/"))


@pytest.mark.parametrize(
    "changes", [{"country": "XX"}, {"subdivision": "PA"}, {"country": "US", "subdivision": "?"}]
)
def test_country_that_makes_no_sense_is_refused(browser: Browser, changes: dict[str, str]) -> None:
    response = browser.client.post("/settings/about/", {"name": "Jo", **changes})

    browser.worker.refresh_from_db()
    assert (response.status_code, browser.worker.country, browser.worker.subdivision) == (422, "", "")


def test_sign_out_everywhere_ends_every_session_of_this_worker(browser: Browser) -> None:
    worker_sign_in.sign_in(worker=browser.worker, now=timezone.now())
    other = signed_in()

    browser.post("/settings/sessions/end/")

    assert [session.worker for session in WorkerSession.objects.all()] == [other.worker]
    assert "You are not signed in" in text_of(browser.get("/"))


def test_sign_out_everywhere_ends_the_link_of_who_has_a_password() -> None:
    browsers = [with_password(), signed_in()]

    for browser in browsers:
        browser.post("/settings/sessions/end/")

    assert [browser.worker.invitations.count() for browser in browsers] == [0, 1]


def test_new_password_ends_the_link() -> None:
    worker, token = invite(now=timezone.now())
    client = stranger()
    client.post(f"/invitation/{token}/")

    change(Browser(client=client, worker=worker))

    ended = stranger().post(f"/invitation/{token}/")
    assert (ended.status_code, worker.invitations.count()) == (404, 0)
    assert "as soon as its owner sets a password" in text_of(ended)
    assert 'href="/sign-in/"' in ended.content.decode()
    assert "You are signed in already" in text_of(client.get(f"/invitation/{token}/"))
    assert try_in(stranger(), password=NEW).status_code == 302


@pytest.mark.parametrize("name", ["a\u2028b", "a\x85b", "a\tb"])
def test_name_that_would_break_a_line_is_refused(browser: Browser, name: str) -> None:
    response = browser.client.post("/settings/about/", {"name": name})

    kept = browser.worker.name
    browser.worker.refresh_from_db()
    assert (response.status_code, browser.worker.name) == (422, kept)
    assert "Leave out line breaks" in text_of(response)


def test_erasure_is_asked_twice_and_can_be_withdrawn(browser: Browser) -> None:
    def asked() -> bool:
        browser.worker.refresh_from_db()
        return browser.worker.erasure_requested_at is not None

    first = browser.post("/settings/erasure/")
    after_first = asked()
    browser.client.post("/settings/erasure/", {"sure": "yes"})
    after_second = asked()
    browser.post("/settings/erasure/withdraw/")

    assert "Are you sure?" in text_of(first)
    assert (after_first, after_second, asked()) == (False, True, False)


def test_settings_need_the_pages_csrf_token() -> None:
    browser = signed_in(enforce_csrf_checks=True)
    paths = ["about/", "password/", "sessions/end/", "erasure/", "erasure/withdraw/"]

    answers = [browser.client.post(f"/settings/{path}", {"name": "X", "sure": "yes"}) for path in paths]

    assert [answer.status_code for answer in answers] == [403] * 5
    browser.worker.refresh_from_db()
    assert (browser.worker.name != "X", browser.worker.erasure_requested_at) == (True, None)
    assert browser.worker.sessions.count() == 1

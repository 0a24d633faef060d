"""Sessions of all four sites: none is fixed beforehand, none outlives its end; no form comes from outside."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache

import pytest
from django.conf import LazySettings, settings
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from crowd.marketplace.desk import session as desk
from crowd.marketplace.services import accounts, operators
from crowd.marketplace.site import session as site
from crowd.winogavil.play.site import session as play
from tests.attacks.addresses import addresses
from tests.attacks.crawling import patterns
from tests.attacks.doors import ask, calls
from tests.attacks.rows import fill_empty_tables
from tests.attacks.sites import ADMIN, MARKETPLACE, PLAY, browser
from tests.crowd.winogavil.play.table import make_game, make_player
from tests.factories import invite, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
PASSWORD, NEW = "correct horse battery", "staple that stays long"
SENT_FROM_ELSEWHERE = 499
METHODS = ("post", "put", "patch", "delete")
SITES = {ADMIN: "PUBLIC_URL", MARKETPLACE: "MARKETPLACE_URL", PLAY: "PLAY_URL"}
# Routes whose requests carry a token of their page or address, or a key.
BY_THEIR_TOKEN = (
    "control/",
    "data/submit/",
    "design/",
    "email/stop/",
    "mturk/",
    "practice/",
    "q/",
    "statement/",
    "submit/",
)
SIGNED = ""  # the marketplace's API, at the root of its host


@dataclass(frozen=True, kw_only=True)
class Door:
    """The way into and out of a site. `inside` is shown to signed-in users alone."""

    url: str
    cookie: str
    make: Callable[[str], object]
    sign_in: str
    fields: tuple[str, str]
    sign_out: str
    inside: str
    # Address and fields of a password change; None if no page does it.
    change: tuple[str, Mapping[str, str]] | None = None

    def browser(self, *, planted: str = "") -> Client:
        client = browser(self.url)
        if planted:
            client.cookies[self.cookie] = planted
        return client

    def enter(self, client: Client, name: str) -> str:
        answer = client.post(self.sign_in, dict(zip(self.fields, (name, PASSWORD), strict=True)))
        assert answer.status_code == 302, answer.content.decode()[:2000]
        return client.cookies[self.cookie].value

    def is_inside(self, token: str) -> bool:
        return bool(self.browser(planted=token).get(self.inside).status_code == 200)


def make_worker(name: str) -> None:
    worker, _ = invite(now=timezone.now())
    accounts.set_password(
        worker=worker, sign_in_name=name, password=PASSWORD, present="", address="", token=""
    )


def make_desk(name: str) -> None:
    operators.make_operator(sign_in_name=name, password=PASSWORD, now=timezone.now())


def make_staff(name: str) -> None:
    make_user(username=name, password=PASSWORD, is_superuser=True)


def make_playing(name: str) -> None:
    make_player(make_game(), name=name)


def doors() -> dict[str, Door]:
    """Sites by name, read from the settings, which tests change."""
    return {
        "admin": Door(
            url=settings.PUBLIC_URL,
            cookie=settings.SESSION_COOKIE_NAME,
            make=make_staff,
            sign_in="/admin/login/",
            fields=("username", "password"),
            sign_out="/admin/logout/",
            inside="/admin/",
            change=(
                "/admin/password_change/",
                {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW},
            ),
        ),
        "worker site": Door(
            url=settings.MARKETPLACE_URL,
            cookie=site.COOKIE,
            make=make_worker,
            sign_in="/sign-in/",
            fields=("sign_in_name", "password"),
            sign_out="/sign-out/",
            inside="/earnings/",
            change=(
                "/settings/password/",
                {"sign_in_name": "owl", "present": PASSWORD, "password": NEW, "again": NEW},
            ),
        ),
        "desk": Door(
            url=settings.MARKETPLACE_URL,
            cookie=desk.COOKIE,
            make=make_desk,
            sign_in="/desk/sign-in/",
            fields=("sign_in_name", "password"),
            sign_out="/desk/sign-out/",
            inside="/desk/books/",
        ),
        "play": Door(
            url=settings.PLAY_URL,
            cookie=play.COOKIE,
            make=make_playing,
            sign_in="/sign-in/",
            fields=("name", "password"),
            sign_out="/sign-out/",
            inside="/leave/",
        ),
    }


@pytest.fixture(params=["admin", "worker site", "desk", "play"])
def door(request: pytest.FixtureRequest) -> Door:
    found = doors()[request.param]
    found.make("owl")
    return found


def test_session_that_was_planted_is_not_the_one_that_is_opened(door: Door) -> None:
    """The planted value is a text of the attacker's, or a session that the site gave to the attacker."""
    stored = SessionStore()
    stored["seen"] = True
    stored.save()
    for planted in ("x" * 32, str(stored.session_key)):
        client = door.browser(planted=planted)
        token = door.enter(client, "owl")
        assert token != planted
        assert (door.is_inside(token), door.is_inside(planted)) == (True, False)


def test_session_of_before_ends_when_somebody_signs_in_over_it(door: Door) -> None:
    """The earlier session is another user's on a shared machine, or one that an attacker has planted."""
    door.make("elk")
    client = door.browser()
    first = door.enter(client, "elk")

    second = door.enter(client, "owl")

    assert (first == second, door.is_inside(first), door.is_inside(second)) == (False, False, True)


def test_csrf_secret_of_before_is_worth_nothing_after_signing_in(door: Door) -> None:
    client = door.browser()
    client.get(door.sign_in)
    before = client.cookies[settings.CSRF_COOKIE_NAME].value

    door.enter(client, "owl")

    assert client.cookies[settings.CSRF_COOKIE_NAME].value != before


def test_signing_out_ends_the_session_on_the_server(door: Door) -> None:
    client, elsewhere = door.browser(), door.browser()
    token, other = door.enter(client, "owl"), door.enter(elsewhere, "owl")

    client.post(door.sign_out)

    assert (door.is_inside(token), door.is_inside(other)) == (False, True)


@pytest.mark.parametrize("name", ["admin", "worker site"])
def test_new_password_ends_the_other_sessions(name: str) -> None:
    """Sessions of the desk end by a command, which has its own tests; players have no password to change."""
    door = doors()[name]
    door.make("owl")
    client, elsewhere = door.browser(), door.browser()
    other = door.enter(elsewhere, "owl")
    door.enter(client, "owl")
    assert door.change
    address, fields = door.change

    changed = client.post(address, fields)

    assert changed.status_code == 302
    assert (door.is_inside(other), door.is_inside(client.cookies[door.cookie].value)) == (False, True)


def test_no_form_is_taken_from_elsewhere(settings: LazySettings) -> None:
    """Each site that knows people by a cookie refuses each address by each method that changes something."""
    settings.CSRF_FAILURE_VIEW = "tests.attacks.test_sessions.refuse"
    fill_empty_tables()
    taken, asked = {}, 0
    for urlconf, url in SITES.items():
        client = signed_in_everywhere(getattr(settings, url))
        for address in dict.fromkeys(addresses(urlconf)):
            route = resolve(address, urlconf).route
            for method in METHODS if route not in exempt_routes(urlconf) else ():
                asked += 1
                if (status := getattr(client, method)(address).status_code) != SENT_FROM_ELSEWHERE:
                    taken[f"{method} {route}"] = status

    assert taken == {}
    assert asked > 1500


def test_what_takes_forms_from_elsewhere_knows_nobody_by_a_cookie() -> None:
    """Framed pages have no cookies, and programs sign their requests. No other route is exempt."""
    exempt = {route for urlconf in SITES for route in exempt_routes(urlconf)}

    assert {route for route in exempt if not route.startswith(("api/", *BY_THEIR_TOKEN))} == {SIGNED}


def test_api_takes_no_form_from_elsewhere() -> None:
    fill_empty_tables()
    client = browser(enforce_csrf_checks=True)
    client.force_login(make_user(is_superuser=True))

    answers = {str(call): ask(client, call) for call in calls() if not call.is_safe}

    assert {name for name, answer in answers.items() if answer.status_code != 403} == set()
    assert {answer.json()["detail"][:11] for answer in answers.values()} == {"CSRF Failed"}


def refuse(request: HttpRequest, reason: str = "") -> HttpResponse:
    return HttpResponse(reason, status=SENT_FROM_ELSEWHERE)


def signed_in_everywhere(url: str) -> Client:
    client = browser(url, enforce_csrf_checks=True)
    for name, door in doors().items():
        if door.url == url:
            door.make(f"{name} owl")
            door.enter(inside := door.browser(), f"{name} owl")
            client.cookies.update(inside.cookies)
    del client.cookies[settings.CSRF_COOKIE_NAME]
    return client


@cache
def exempt_routes(urlconf: str) -> Collection[str]:
    return {route for route, one in patterns(urlconf) if getattr(one.callback, "csrf_exempt", False)}


def test_cookie_of_one_site_opens_no_other() -> None:
    every = doors()
    tokens = {}
    for name, one in every.items():
        one.make("owl")
        tokens[name] = one.enter(one.browser(), "owl")

    opened = {(a, b) for a, token in tokens.items() for b, one in every.items() if one.is_inside(token)}

    assert opened == {(name, name) for name in every}

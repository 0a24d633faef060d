"""What opens to a session without its second factor: nothing but the step that it lacks."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from hits.admin.identity.sign_in_gate import PUBLIC, SignInGate
from hits.identity.models.second_factors import SecondFactor
from hits.identity.models.users import User
from hits.identity.roles import PAYMENTS_APPROVER, RESEARCHER
from hits.payments.models.runs import Halt
from tests.factories import make_user
from tests.hits.calling import notebook
from tests.hits.identity.factors import code_of_now, set_up, sign_in_by_password, with_password
from tests.people import client_of, make_member, permissions

pytestmark = pytest.mark.django_db
CODE, SET_UP = "/admin/second-factor/code/", "/admin/second-factor/set-up/"
CLOSED = (
    "/admin/",
    "/admin/payments/",
    "/admin/payments/halts/",
    "/admin/hits/run/",
    "/admin/hits/study/",
    "/admin/password_change/",
    "/admin/second-factor/",
    "/admin/sessions/",
    "/admin/search/?q=x",
    "/api/docs/",
)


@pytest.fixture
def approver() -> User:
    return with_password(make_member(PAYMENTS_APPROVER))


@pytest.fixture
def _payments(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "payments"


def led_to(answer: Any) -> str:
    return str(answer.headers.get("Location", "")).partition("?")[0]


@pytest.mark.usefixtures("_payments")
@pytest.mark.parametrize("address", CLOSED)
def test_payments_staff_without_a_factor_are_led_to_set_one_up(approver: User, address: str) -> None:
    answer = client_of(approver).get(address)

    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{SET_UP}?next={quote(address, safe='')}"


@pytest.mark.parametrize("address", CLOSED)
def test_whoever_has_a_factor_is_asked_for_it_whatever_the_setting(approver: User, address: str) -> None:
    set_up(approver)

    answer = client_of(approver).get(address)

    assert (answer.status_code, led_to(answer)) == (302, CODE)


@pytest.mark.usefixtures("_payments")
def test_nothing_is_done_by_a_form_that_comes_too_early(approver: User) -> None:
    approver.user_permissions.add(*permissions("set_halt"))
    fields = {"account": "", "reason": "a reason", "confirmed": "on"}

    early = client_of(approver).post("/admin/payments/halts/", fields)
    assert led_to(early) == SET_UP
    assert not Halt.objects.exists()
    set_up(approver)
    still_early = client_of(approver).post("/admin/payments/halts/", fields)

    assert led_to(still_early) == CODE
    assert not Halt.objects.exists()


@pytest.mark.usefixtures("_payments")
def test_whoever_sends_no_money_signs_in_by_password_alone() -> None:
    researcher = with_password(make_member(RESEARCHER))

    _, page = sign_in_by_password(researcher)

    assert (page.status_code, page.request["PATH_INFO"]) == (200, "/admin/")


def test_with_staff_everybody_needs_one(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "staff"

    assert led_to(client_of(make_member(RESEARCHER)).get("/admin/")) == SET_UP


def test_the_api_answers_sessions_in_json_and_tokens_as_ever(approver: User, settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "staff"
    tokened = notebook("view_study")

    lacking = client_of(make_user()).get("/api/studies/")
    asked = client_of(approver)
    set_up(approver)
    without_code = asked.post("/api/studies/", {}, content_type="application/json")

    assert (lacking.status_code, json.loads(lacking.content)["code"]) == (403, "second_factor")
    assert "Set one up in the admin first" in json.loads(lacking.content)["detail"]
    assert (without_code.status_code, json.loads(without_code.content)["code"]) == (403, "second_factor")
    assert tokened.get("studies/").status_code == 200
    both = asked.get("/api/studies/", headers=tokened.headers())
    assert both.status_code == 200


def test_a_header_that_is_no_token_opens_no_api_to_a_session(approver: User) -> None:
    set_up(approver)

    answer = client_of(approver).get("/api/studies/", headers={"Authorization": "Basic eDp5"})

    assert answer.status_code == 401


def test_after_the_code_the_page_that_was_asked_for_opens(approver: User) -> None:
    secret, _ = set_up(approver)
    client, page = sign_in_by_password(approver, wanted="/admin/hits/run/?page=1")
    key = client.session.session_key

    wrong = client.post(CODE, {"code": "000000", "next": "/admin/hits/run/?page=1"})
    right = client.post(CODE, {"code": code_of_now(secret), "next": "/admin/hits/run/?page=1"})

    assert page.request["PATH_INFO"] == CODE
    assert (wrong.status_code, "This code is wrong" in wrong.content.decode()) == (400, True)
    assert (right.status_code, right.headers["Location"]) == (302, "/admin/hits/run/?page=1")
    assert client.get("/admin/hits/run/").status_code == 200
    assert client.get("/api/studies/").status_code == 200
    assert client.session.session_key != key


def test_the_code_of_one_session_opens_no_other(approver: User) -> None:
    secret, _ = set_up(approver)
    first, second = client_of(approver), client_of(approver)

    first.post(CODE, {"code": code_of_now(secret)})

    assert first.get("/admin/").status_code == 200
    assert led_to(second.get("/admin/")) == CODE


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_after_the_code_nobody_is_led_elsewhere(approver: User, wanted: str) -> None:
    secret, _ = set_up(approver)

    answer = client_of(approver).post(CODE, {"code": code_of_now(secret), "next": wanted})

    assert answer.headers["Location"] == "/admin/"


def test_a_session_without_its_code_sets_up_no_other_factor(approver: User) -> None:
    set_up(approver)
    client = client_of(approver)

    assert led_to(client.get(SET_UP)) == CODE
    assert led_to(client.post("/admin/second-factor/remove/", {"code": ""})) == CODE
    assert SecondFactor.objects.count() == 1


def test_signing_out_is_always_open(approver: User) -> None:
    set_up(approver)
    client = client_of(approver)

    assert client.post("/admin/logout/").status_code == 200
    assert led_to(client.get("/admin/")) == "/admin/login/"


@pytest.mark.parametrize("below", PUBLIC)
def test_pages_of_others_look_at_no_session(rf: RequestFactory, settings: LazySettings, below: str) -> None:
    request = rf.get(f"{below}something/")
    request.COOKIES[settings.SESSION_COOKIE_NAME] = "a session of staff"

    assert SignInGate(lambda _: HttpResponse()).process_view(request) is None
    assert not hasattr(request, "user")


def test_strangers_meet_the_sign_in_as_ever(settings: LazySettings) -> None:
    settings.SECOND_FACTOR = "staff"

    assert led_to(Client().get(reverse("admin:index"))) == "/admin/login/"

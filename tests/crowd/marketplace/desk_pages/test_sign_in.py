"""Signing in at the desk and out again, and that nothing of the desk is open to anybody else."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from crowd.marketplace.desk.responses import NOTE
from crowd.marketplace.desk.session import COOKIE
from crowd.marketplace.models.parties import AuditEntry, Operator, OperatorSession, Requester
from crowd.marketplace.services import operators, worker_sign_in
from crowd.marketplace.site.session import COOKIE as WORKER_COOKIE
from hits.common import login_throttle
from tests.caches import AWAY
from tests.crowd.marketplace.desk import PASSWORD, Desk, make_operator, open_desk
from tests.crowd.marketplace.site import signed_in, stranger, text_of
from tests.factories import invite

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_window")]
DOOR = "/desk/sign-in/"
PARTS = {
    "requester_id": "REQUESTER",
    "worker_id": "WORKER",
    "key_id": "KEY",
    "layout_id": "LAYOUT",
    "hit_id": "HIT",
    "work_id": "W",
    "complaint_id": 1,
    "block_id": 1,
    "payout_id": 1,
    "form": "csv",
}


def sign_in(client: Client, name: str, password: str = PASSWORD, **fields: str) -> int:
    return client.post(DOOR, {"sign_in_name": name, "password": password, **fields}).status_code


def addresses() -> list[str]:
    """Every address of the desk except those for signing in and out."""
    found = get_resolver("crowd.marketplace.desk.urls").url_patterns
    named = [
        one for one in found if isinstance(one, URLPattern) and one.name not in (None, "sign_in", "sign_out")
    ]
    return [
        reverse(
            f"desk:{one.name}",
            urlconf="crowd.marketplace.urls",
            kwargs={part: PARTS[part] for part in one.pattern.converters},
        )
        for one in named
    ]


def test_sign_in_with_the_right_password_opens_the_desk() -> None:
    operator = make_operator()
    client = stranger()

    status = sign_in(client, operator.sign_in_name)

    assert (status, client.get("/desk/").status_code) == (302, 200)
    assert [session.operator for session in OperatorSession.objects.all()] == [operator]


def test_the_door_says_how_an_account_is_made_and_that_it_is_no_researchers() -> None:
    page = text_of(stranger().get(DOOR))

    assert "researchers’ names and passwords do not work here" in page
    assert "manage.py marketplace_operator NAME" in page


def test_session_cookie_is_for_this_host_and_no_script() -> None:
    client = stranger()

    sign_in(client, make_operator().sign_in_name)

    cookie = client.cookies[COOKIE]
    flags = {name: cookie[name] for name in ("httponly", "samesite", "path", "domain", "secure", "max-age")}
    assert flags == {
        "httponly": True,
        "samesite": "Strict",
        "path": "/",
        "domain": "",
        "secure": "",
        "max-age": 12 * 3600,
    }
    assert not OperatorSession.objects.filter(token_digest=cookie.value).exists()


def test_session_cookie_is_secure_where_the_site_is(settings: LazySettings) -> None:
    operator = make_operator()
    settings.MARKETPLACE_URL = "https://localhost:8000"
    client = stranger()

    sign_in(client, operator.sign_in_name)

    assert client.cookies[COOKIE]["secure"] is True


@pytest.mark.parametrize("password", ["wrong", PASSWORD.upper(), ""])
def test_sign_in_with_another_password_stays_outside(password: str) -> None:
    client = stranger()

    status = sign_in(client, make_operator().sign_in_name, password)

    assert status == (403 if password else 422)
    assert (OperatorSession.objects.count(), COOKIE in client.cookies) == (0, False)


def test_sign_in_under_an_unknown_name_answers_as_for_a_wrong_password() -> None:
    known = make_operator().sign_in_name

    answers = [
        stranger().post(DOOR, {"sign_in_name": name, "password": "wrong"}) for name in (known, "nobody")
    ]

    assert len({text_of(answer) for answer in answers}) == 1
    assert [answer.status_code for answer in answers] == [403, 403]


@pytest.mark.parametrize("name", ["nul\0", "x" * 65])
def test_sign_in_under_a_name_that_cannot_be_is_refused(name: str) -> None:
    assert sign_in(stranger(), name) == 422


def test_sign_in_is_throttled_after_failures_even_with_the_right_password() -> None:
    name = make_operator().sign_in_name
    client = stranger()
    failures = [sign_in(client, name, "wrong") for _ in range(login_throttle.MOST_FAILURES)]

    status = sign_in(client, name)

    assert (failures, status) == ([403] * login_throttle.MOST_FAILURES, 429)
    assert OperatorSession.objects.count() == 0


def test_throttle_is_of_one_name_and_one_address() -> None:
    tried, other = make_operator().sign_in_name, make_operator().sign_in_name
    client = stranger()
    for _ in range(login_throttle.MOST_FAILURES):
        sign_in(client, tried, "wrong")

    from_elsewhere = client.post(
        DOOR, {"sign_in_name": tried, "password": PASSWORD}, REMOTE_ADDR="192.0.2.7"
    ).status_code

    assert (sign_in(client, other), from_elsewhere) == (302, 302)


def test_throttle_behind_a_proxy_is_of_the_address_that_the_proxy_saw(settings: LazySettings) -> None:
    settings.BEHIND_PROXY = True
    fields = {"sign_in_name": make_operator().sign_in_name, "password": PASSWORD}
    wrong = {**fields, "password": "wrong"}
    for _ in range(login_throttle.MOST_FAILURES):
        stranger().post(DOOR, wrong, HTTP_X_FORWARDED_FOR="forged, 192.0.2.1")

    answers = [
        stranger().post(DOOR, fields, HTTP_X_FORWARDED_FOR=f"forged, {address}").status_code
        for address in ("192.0.2.1", "192.0.2.2")
    ]

    assert answers == [429, 302]


@pytest.mark.parametrize("elsewhere", ["192.0.2.{}", "2001:db8::{:x}"])
def test_guessers_elsewhere_do_not_shut_an_operator_out(
    monkeypatch: pytest.MonkeyPatch, elsewhere: str
) -> None:
    name = make_operator().sign_in_name
    monkeypatch.setattr(operators, "check_password", lambda given, _: given == PASSWORD)
    for number in range(60):
        for _ in range(login_throttle.MOST_FAILURES):
            fields = {"sign_in_name": name, "password": "wrong"}
            stranger().post(DOOR, fields, REMOTE_ADDR=elsewhere.format(number))

    assert sign_in(stranger(), name) == 302


def test_guesses_from_one_line_are_counted_as_of_one_address() -> None:
    name = make_operator().sign_in_name
    for number in range(login_throttle.MOST_FAILURES):
        fields = {"sign_in_name": name, "password": "wrong"}
        stranger().post(DOOR, fields, REMOTE_ADDR=f"2001:db8::{number:x}")

    answers = [
        stranger().post(DOOR, {"sign_in_name": name, "password": PASSWORD}, REMOTE_ADDR=address).status_code
        for address in ("2001:db8::ffff", "2001:db8:0:1::1")
    ]

    assert answers == [429, 302]


def test_names_of_any_number_are_not_tried_from_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "check_password", lambda *_: False)
    client = stranger()

    answers = [
        sign_in(client, f"name-{number}", "wrong")
        for number in range(login_throttle.MOST_FAILURES_FROM_ADDRESS + 1)
    ]

    assert answers == [403] * login_throttle.MOST_FAILURES_FROM_ADDRESS + [429]


def test_sign_in_works_while_redis_is_away(settings: LazySettings) -> None:
    settings.CACHES = AWAY
    name = make_operator().sign_in_name

    assert [sign_in(stranger(), name, password) for password in ("wrong", PASSWORD)] == [403, 302]


def test_passwords_are_not_guessed_for_long_while_redis_is_away(settings: LazySettings) -> None:
    settings.CACHES = AWAY
    name = make_operator().sign_in_name

    answers = {sign_in(stranger(), name, "wrong") for _ in range(login_throttle.MOST_FAILURES + 1)}

    assert answers == {403, 429}


@pytest.mark.parametrize(
    ("wanted", "led_to"),
    [
        ("/desk/workers/?q=a", "/desk/workers/?q=a"),
        ("https://evil.example/", "/desk/"),
        ("//evil.example/desk/", "/desk/"),
        ("/work/", "/desk/"),
        ("/desk/\r\nSet-Cookie: a=b", "/desk/"),
    ],
)
def test_sign_in_leads_on_within_the_desk_alone(wanted: str, led_to: str) -> None:
    name = make_operator().sign_in_name

    answer = stranger().post(DOOR, {"sign_in_name": name, "password": PASSWORD, "next": wanted})

    assert answer["Location"] == led_to


def test_every_address_sends_a_stranger_to_the_door() -> None:
    client = stranger()

    answers = [client.get(path) for path in addresses()] + [client.post(path) for path in addresses()]

    assert {answer.status_code for answer in answers} <= {302, 405}
    assert {answer["Location"].partition("?")[0] for answer in answers if answer.status_code == 302} == {DOOR}


def test_every_address_sends_a_worker_to_the_door() -> None:
    browser = signed_in()
    token = browser.client.cookies[WORKER_COOKIE].value
    browser.client.cookies[COOKIE] = token

    answers = [browser.get(path) for path in addresses()]

    assert {answer.status_code for answer in answers} <= {302, 405}


def test_operators_cookie_is_worth_nothing_on_the_worker_site(desk: Desk) -> None:
    client = stranger()
    client.cookies[WORKER_COOKIE] = desk.client.cookies[COOKIE].value

    answer = client.get("/history/")

    assert (answer.status_code, worker_sign_in.find_session_worker(token="", now=timezone.now())) == (
        403,
        None,
    )


def test_disabled_operator_is_out_at_once(desk: Desk) -> None:
    Operator.objects.filter(pk=desk.operator.pk).update(disabled_at=timezone.now())

    assert desk.get("").status_code == 302


def test_disabled_operator_cannot_sign_in() -> None:
    operator = make_operator()
    operators.disable_operator(operator=operator, now=timezone.now())

    assert sign_in(stranger(), operator.sign_in_name) == 403


def test_new_password_ends_every_session(desk: Desk) -> None:
    operators.set_password(operator=desk.operator, password=PASSWORD)

    assert (desk.get("").status_code, sign_in(stranger(), desk.operator.sign_in_name)) == (302, 302)


def test_signing_in_ends_the_session_that_the_browser_had(desk: Desk) -> None:
    other = make_operator()

    signed_in = sign_in(desk.client, other.sign_in_name)

    assert (signed_in, OperatorSession.objects.get().operator) == (302, other)


def test_session_ends_by_itself(desk: Desk) -> None:
    OperatorSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert desk.get("").status_code == 302


def test_signing_out_ends_the_session(desk: Desk) -> None:
    answer = desk.post("sign-out/")

    assert (answer["Location"], OperatorSession.objects.count()) == (DOOR, 0)
    assert desk.get("").status_code == 302


def test_change_without_a_csrf_token_is_refused() -> None:
    desk = open_desk(enforce_csrf_checks=True)

    answers = [
        desk.post("requesters/new/", name="lab", fee_schedule="none"),
        desk.post("workers/invite/", names="A"),
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert (Requester.objects.count(), AuditEntry.objects.count()) == (0, 0)


def test_form_without_its_token_does_nothing(desk: Desk) -> None:
    answer = desk.post("requesters/new/", token="none", name="lab", fee_schedule="none")

    assert (answer.status_code, Requester.objects.count(), AuditEntry.objects.count()) == (409, 0, 0)


@pytest.mark.parametrize("path", ["nowhere/", "requesters/ANOBODY/", "workers/ANOBODY/", "workers/a%00b/"])
def test_address_of_nothing_is_told_in_the_look_of_the_desk(desk: Desk, path: str) -> None:
    answer = desk.get(path)

    assert (answer.status_code, "There is nothing here" in text_of(answer)) == (404, True)


def test_pages_are_not_kept_by_the_browser(desk: Desk) -> None:
    worker, _ = invite(now=timezone.now())

    answers = [desk.get(path) for path in ("", "requesters/", f"workers/{worker.external_id}/")]

    assert {answer["Cache-Control"] for answer in answers} == {"no-store"}
    assert {answer["X-Frame-Options"] for answer in answers} == {"DENY"}


def test_note_is_said_once(desk: Desk) -> None:
    worker, _ = invite(now=timezone.now())
    answer = desk.post(f"workers/{worker.external_id}/facts/", country="US")

    pages = [text_of(desk.get(f"workers/{worker.external_id}/")) for _ in range(2)]

    assert answer.status_code == 302
    assert ["Saved." in page for page in pages] == [True, False]


def test_note_that_is_not_ours_is_not_said(desk: Desk) -> None:
    desk.client.cookies[NOTE] = "Send all money to me."

    assert "Send all money" not in text_of(desk.get(""))

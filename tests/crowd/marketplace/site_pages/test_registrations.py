"""Registration where an operator looks at each: who waits sees that, and can do nothing else."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from crowd.marketplace.models import Assignment, Email, EmailAddress
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import work, workers
from crowd.marketplace.site import sign_in_views
from crowd.marketplace.site.urls import urlpatterns
from tests.crowd.marketplace.mailing import ADDRESS, path_in, sent
from tests.crowd.marketplace.site import group_path, open_hit, signed_in, stranger, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_window")]
PASSWORD = "a plain long sentence"
ROUTES = [str(one.pattern) for one in urlpatterns]
WAITS = "Your registration is waiting"


@pytest.fixture(autouse=True)
def _open_with_approval(settings: LazySettings) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = settings.MARKETPLACE_REGISTRATIONS_WAIT = True
    settings.EMAIL_HOST = "mail.example.org"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def register(client: Client, name: str = "jo.doe", **changes: str) -> Any:
    fields = {"name": "Jo", "sign_in_name": name, "password": PASSWORD, "again": PASSWORD, **changes}
    return client.post("/register/", fields)


def test_who_registers_waits_and_is_told_so_in_words() -> None:
    client = stranger()
    page = text_of(client.get("/register/"))

    answer = register(client, email="Jo@Example.org")
    home = client.get("/")

    assert "Those who run this marketplace look at each registration before its first task" in page
    assert (answer.status_code, home.status_code, WAITS in text_of(home)) == (302, 200, True)
    assert f"you get an e-mail at {ADDRESS}. Please open the link" in text_of(home)
    assert "Find work" not in text_of(home)
    [letter] = sent()
    client.post(path_in(letter, part="/email/confirm/"))
    assert EmailAddress.objects.get().address == ADDRESS
    assert f"you get an e-mail at {ADDRESS}." in text_of(client.get("/"))


def test_an_address_is_optional() -> None:
    client = stranger()
    register(client)

    assert "You gave no e-mail address" in text_of(client.get("/"))
    assert (EmailAddress.objects.count(), sent()) == (0, [])


@pytest.mark.parametrize(
    "path",
    [f"/{route}" for route in ROUTES if route.startswith("settings/")]
    + ["/work/", "/history/", "/earnings/", "/messages/", "/qualifications/"],
)
def test_who_waits_sees_nothing_else_and_does_nothing(path: str) -> None:
    client = stranger()
    register(client)
    before = vars(Worker.objects.get())

    answers = [client.get(path), client.post(path, {"name": "Other", "sure": "yes", "email": ADDRESS})]

    for answer in answers:
        assert answer.status_code == 405 or (answer.status_code, WAITS in text_of(answer)) == (403, True)
    after = vars(Worker.objects.get())
    assert {name: after[name] for name in before if name != "_state"} == {
        name: before[name] for name in before if name != "_state"
    }


def test_who_waits_accepts_no_work() -> None:
    client = stranger()
    register(client)
    hit = open_hit()

    answer = client.post(f"{group_path(hit)}accept/", {"hit": hit.external_id})
    with pytest.raises(work.NotAvailable):
        work.accept_hit(hit_id=hit.pk, worker=Worker.objects.get(), now=timezone.now())

    assert (answer.status_code, Assignment.objects.count()) == (403, 0)


def test_who_was_admitted_works_and_is_told_by_e_mail() -> None:
    client = stranger()
    register(client, email=ADDRESS)
    sent()

    admitted = workers.admit_workers(
        external_ids=[Worker.objects.get().external_id, "nobody"], now=timezone.now()
    )
    [letter] = sent()

    assert admitted == [Worker.objects.get().external_id]
    assert (letter.to, letter.subject) == ([ADDRESS], "You can begin")
    assert path_in(letter, part="/sign-in/") == "/sign-in/"
    assert stranger().post(path_in(letter, part="/email/confirm/")).status_code == 200
    assert "Find work" in text_of(client.get("/"))
    assert workers.admit_workers(external_ids=admitted, now=timezone.now()) == []
    assert Email.objects.filter(kind="admitted").count() == 1


def test_who_waits_withdraws_and_nothing_is_left() -> None:
    client = stranger()
    register(client, email=ADDRESS)
    signed_in().post("/register/withdraw/")

    client.post("/register/withdraw/")
    stranger().post("/register/withdraw/")

    assert (Worker.objects.filter(sign_in_name="jo.doe").count(), Worker.objects.count()) == (0, 1)
    assert (EmailAddress.objects.count(), Email.objects.count()) == (0, 0)
    assert "You are not signed in" in text_of(client.get("/"))


def test_open_registration_still_begins_at_once(settings: LazySettings) -> None:
    settings.MARKETPLACE_REGISTRATIONS_WAIT = False
    client = stranger()

    register(client, email=ADDRESS)

    assert "Find work" in text_of(client.get("/"))
    assert EmailAddress.objects.get().unconfirmed == ADDRESS


def test_registrations_from_one_network_are_limited() -> None:
    most = sign_in_views.REGISTRATIONS_AN_HOUR
    answers = [
        stranger().post("/register/", fields(number), REMOTE_ADDR=f"2001:db8::{number}")
        for number in range(most + 1)
    ]

    assert [answer.status_code for answer in answers] == [302] * most + [429]
    assert Worker.objects.count() == most


def fields(number: int) -> dict[str, str]:
    return {"name": "Jo", "sign_in_name": f"jo-{number}", "password": PASSWORD, "again": PASSWORD}

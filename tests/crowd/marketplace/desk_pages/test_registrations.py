"""Registrations at the desk: counted, listed, approved, declined."""

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.models import EmailAddress
from crowd.marketplace.models.parties import AuditEntry, Worker
from crowd.marketplace.services import accounts, worker_sign_in
from tests.crowd.marketplace.desk import Desk, form_token, rows_of
from tests.crowd.marketplace.mailing import ADDRESS, sent, with_address
from tests.crowd.marketplace.site import stranger, text_of

pytestmark = pytest.mark.django_db
PATH = "workers/registrations/"


@pytest.fixture(autouse=True)
def _quick(settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def waiting(name: str) -> Worker:
    return accounts.register(
        name=name, sign_in_name=name.lower(), password="a sentence", waits=True, now=timezone.now()
    )


def names() -> list[str]:
    return list(Worker.objects.order_by("pk").values_list("name", flat=True))


def entries() -> list[tuple[str, str, str]]:
    return [(entry.what, entry.about, entry.note) for entry in AuditEntry.objects.order_by("pk")]


def test_who_waits_is_counted_and_listed_apart_from_workers(desk: Desk) -> None:
    ada, bo = waiting("Ada"), waiting("Bo")
    with_address(bo)

    overview = text_of(desk.get(""))
    rows = rows_of(desk.get(PATH))

    assert ("Registrations to decide 2" in overview, "Workers 0" in overview) == (True, True)
    assert "2 registrations wait" in text_of(desk.get("workers/"))
    assert [ada.external_id in rows[0], ADDRESS in rows[1]] == [True, True]
    assert rows_of(desk.get("workers/")) == []
    assert len(rows_of(desk.get(f"{PATH}?q=Bo"))) == 1
    assert "waits for an operator" in text_of(desk.get(f"workers/{ada.external_id}/"))


def test_approved_workers_are_let_in_once_and_told(desk: Desk) -> None:
    ada, bo, cy = waiting("Ada"), waiting("Bo"), waiting("Cy")
    with_address(ada)
    token = form_token(desk.get(PATH))
    fields = {"do": "approve", "worker": [ada.external_id, bo.external_id]}

    answers = [desk.post(f"{PATH}decide/", token=token, **fields).status_code for _ in range(2)]

    assert answers == [302, 409]
    assert [worker.name for worker in Worker.objects.filter(waits_since=None)] == ["Ada", "Bo"]
    assert entries() == [("registrations approved", "", f"2 – workers {ada.external_id}, {bo.external_id}")]
    assert [letter.to for letter in sent()] == [[ADDRESS]]
    assert Worker.objects.get(waits_since__isnull=False) == cy


def test_declined_registrations_are_deleted_after_a_second_question(desk: Desk) -> None:
    ada, bo = waiting("Ada"), waiting("Bo")
    with_address(ada)
    worker_sign_in.sign_in(worker=ada, now=timezone.now())

    asked = desk.post(f"{PATH}decide/", do="decline", worker=ada.external_id)
    untouched = names()
    answer = desk.post(f"{PATH}decide/", do="decline", sure="yes", worker=ada.external_id)

    assert ("Decline 1 registration?" in text_of(asked), untouched) == (True, ["Ada", "Bo"])
    assert (answer.status_code, names(), EmailAddress.objects.count()) == (302, ["Bo"], 0)
    assert "1 registration declined." in text_of(desk.get(PATH))
    assert entries() == [("registrations declined", ada.external_id, "1")]
    assert bo.external_id in rows_of(desk.get(PATH))[0]


def test_all_are_decided_at_once(desk: Desk) -> None:
    for name in ("Ada", "Bo", "Cy"):
        waiting(name)

    desk.post(f"{PATH}decide/", do="decline", sure="yes", everybody="1")

    assert names() == []
    assert "Nobody waits." in text_of(desk.get(PATH))


@pytest.mark.parametrize("fields", [{}, {"worker": "nobody", "do": "approve"}, {"worker": "x", "do": "?"}])
def test_nothing_is_decided_of_nobody(desk: Desk, fields: dict[str, str]) -> None:
    waiting("Ada")

    desk.post(f"{PATH}decide/", **fields)

    assert (names(), Worker.objects.filter(waits_since=None).count()) == (["Ada"], 0)


def test_a_worker_who_works_is_never_declined(desk: Desk) -> None:
    ada = waiting("Ada")
    Worker.objects.update(waits_since=None)

    desk.post(f"{PATH}decide/", do="decline", sure="yes", worker=ada.external_id)

    assert names() == ["Ada"]


@pytest.mark.parametrize(
    ("is_open", "waits", "said"),
    [(False, False, "by invitation only"), (True, True, "waits until"), (True, False, "begins at once")],
)
def test_the_list_of_workers_says_how_they_come_in(
    desk: Desk, settings: LazySettings, is_open: bool, waits: bool, said: str
) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION, settings.MARKETPLACE_REGISTRATIONS_WAIT = is_open, waits

    assert said in text_of(desk.get("workers/"))


def test_a_stranger_decides_nothing() -> None:
    waiting("Ada")

    answer = stranger().post(f"/desk/{PATH}decide/", {"do": "approve", "everybody": "1"})

    assert (answer.status_code, Worker.objects.filter(waits_since=None).count()) == (302, 0)

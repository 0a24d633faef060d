"""A forgotten password: nobody learns who has an account, and a link works once."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.marketplace.database import ALIAS
from crowd.marketplace.delivery import email_sweep
from crowd.marketplace.models import Email, EmailAddress, ResetRequest
from crowd.marketplace.models.parties import Worker, WorkerSession
from crowd.marketplace.services import password_resets, worker_sign_in, workers
from crowd.marketplace.site import forgotten_passwords
from tests.crowd.marketplace.mailing import ADDRESS, path_in, sent, with_address
from tests.crowd.marketplace.site import stranger, text_of
from tests.factories import invite

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_window")]
OLD, NEW = "a plain long sentence", "another plain sentence"


@pytest.fixture(autouse=True)
def _mail_server(settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def worker() -> Worker:
    """A worker with a password and a confirmed address, signed in somewhere."""
    return known("jo.doe", ADDRESS)


def known(name: str, address: str) -> Worker:
    worker, _ = invite(now=timezone.now())
    worker.sign_in_name, worker.password = name, make_password(OLD)
    worker.save()
    with_address(worker, address)
    return worker


def ask(typed: str = "jo.doe", *, place: str = "127.0.0.1") -> Any:
    return stranger().post("/password/", {"typed": typed}, REMOTE_ADDR=place)


def asked_link(typed: str = "jo.doe") -> str:
    ask(typed)
    [letter] = sent()
    return path_in(letter, part="/password/")


def choose(link: str, *, name: str = "jo.doe", password: str = NEW) -> Any:
    return stranger().post(link, {"sign_in_name": name, "password": password, "again": password})


def can_sign_in(password: str) -> bool:
    fields = {"sign_in_name": "jo.doe", "password": password}
    return bool(stranger().post("/sign-in/", fields).status_code == 302)


@pytest.mark.parametrize("typed", ["jo.doe", "Jo.Doe", ADDRESS, "JO@example.org"])
def test_the_link_sets_a_new_password_and_ends_every_other_session(worker: Worker, typed: str) -> None:
    worker_sign_in.sign_in(worker=worker, now=timezone.now())
    link = asked_link(typed)
    shown = text_of(stranger().get(link))
    still = can_sign_in(OLD)

    answer = choose(link)

    assert ("A new password" in shown, still) == (True, True)
    assert (answer.status_code, answer["Location"]) == (302, "/settings/?saved=password")
    assert WorkerSession.objects.filter(worker=worker).count() == 1
    assert "Saved." in text_of(answer.client.get(answer["Location"]))
    assert (can_sign_in(OLD), can_sign_in(NEW)) == (False, True)


def test_a_hostile_name_is_only_a_text_where_links_lead_and_in_the_e_mail(worker: Worker) -> None:
    Worker.objects.update(name="<zq>&")
    ask()
    [letter] = sent()

    page = stranger().get(path_in(letter, part="/password/")).content.decode()

    assert ("<zq>" in page, "&lt;zq&gt;&amp;" in page) == (False, True)
    assert "Hello <zq>&," in letter.body
    assert letter.content_subtype == "plain"


def test_a_link_works_once_and_ends_the_others(worker: Worker) -> None:
    links = [asked_link(), asked_link()]

    answers = [choose(link).status_code for link in (links[0], *links)]

    assert answers == [302, 404, 404]


def test_a_link_ends_after_an_hour(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    link = asked_link()
    end = Email.objects.get().asked_at + password_resets.LINK_LIFE

    monkeypatch.setattr("crowd.marketplace.clock.now", lambda: end)

    assert ("works once, and for an hour" in text_of(stranger().get(link)), choose(link).status_code) == (
        True,
        404,
    )
    assert Worker.objects.get().password == worker.password


def test_a_link_ends_with_another_address(worker: Worker) -> None:
    link = asked_link()
    EmailAddress.objects.update(address="new@example.org")

    assert choose(link).status_code == 404


def test_a_link_that_is_forged_or_of_an_erased_worker_sets_nothing(worker: Worker) -> None:
    link = asked_link()
    forged = choose(f"{link[:-3]}xx/").status_code
    Worker.objects.update(erased_at=timezone.now())

    assert (forged, choose(link).status_code) == (404, 404)


def test_everybody_gets_the_same_answer_from_the_same_queries(worker: Worker) -> None:
    """The worker is looked up by the background process, so neither words nor time tell."""
    seen = []
    for typed in ("jo.doe", ADDRESS, "nobody", "nobody@example.org"):
        with CaptureQueriesContext(connections[ALIAS]) as asked:
            page = ask(typed)
        seen.append((page.status_code, text_of(page), len(asked)))

    assert len(set(seen)) == 1
    assert len(sent()) == 2


@pytest.mark.parametrize("address", ["", "unconfirmed"])
def test_without_a_confirmed_address_nothing_is_sent(address: str) -> None:
    worker, _ = invite(now=timezone.now())
    Worker.objects.filter(pk=worker.pk).update(sign_in_name="jo.doe")
    if address:
        EmailAddress.objects.create(worker=worker, unconfirmed=ADDRESS, language="en")

    told = text_of(ask())
    ask(ADDRESS)

    assert "ask the group that invited you" in told
    assert (sent(), ResetRequest.objects.count()) == ([], 0)


def test_accounts_that_share_an_address_get_a_link_each(worker: Worker) -> None:
    known("other.name", ADDRESS)
    ask(ADDRESS)

    letters = sent()

    assert [name in str(letter.body) for letter, name in zip(letters, ("jo.doe", "other.name"), strict=True)]
    assert len({path_in(letter, part="/password/") for letter in letters}) == 2


def test_few_links_are_sent_within_an_hour_and_few_requests_taken(worker: Worker) -> None:
    answers = [ask().status_code for _ in range(forgotten_passwords.MOST_FOR_NAME + 1)]
    taken = ResetRequest.objects.count()
    few = len(sent())
    rest = forgotten_passwords.MOST_FROM_ADDRESS - len(answers)
    more = [ask(f"nobody-{number}").status_code for number in range(rest + 1)]

    assert (set(answers), taken) == ({200}, forgotten_passwords.MOST_FOR_NAME)
    assert few == password_resets.MOST_LINKS
    assert (set(more[:-1]), more[-1]) == ({200}, 429)
    assert ask("elsewhere", place="192.0.2.7").status_code == 200


@pytest.mark.parametrize("typed", ["", "a\0b", "x" * 255])
def test_what_can_be_nobodys_name_is_refused(typed: str) -> None:
    assert (ask(typed).status_code, ResetRequest.objects.count()) == (422, 0)


def test_a_request_that_waited_too_long_is_dropped(worker: Worker) -> None:
    ask()
    due = email_sweep.next_email(now=timezone.now())

    assert due == ResetRequest.objects.get().asked_at
    assert sent(now=timezone.now() + timedelta(hours=1)) == []
    assert ResetRequest.objects.count() == 0


@pytest.mark.parametrize("changes", [{"password": "short"}, {"name": "taken"}])
def test_a_password_or_name_that_cannot_be_is_refused_and_the_link_still_works(
    worker: Worker, changes: dict[str, str]
) -> None:
    known("taken", "t@example.org")
    link = asked_link()

    refused = choose(link, **changes)

    assert (refused.status_code, can_sign_in(OLD)) == (422, True)
    assert choose(link).status_code == 302


def test_the_sign_in_page_leads_there_and_a_site_without_e_mails_says_whom_to_ask(
    settings: LazySettings,
) -> None:
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "", False

    page = stranger().get("/password/")
    ask()

    assert 'href="/password/"' in stranger().get("/sign-in/").content.decode()
    assert ("Ask the group that invited you" in text_of(page), b"card form" in page.content) == (True, False)
    assert ResetRequest.objects.count() == 0


def test_who_is_invited_again_in_spite_of_a_password_chooses_a_new_one(worker: Worker) -> None:
    made = workers.invite_again(worker_id=worker.pk, now=timezone.now())
    link = f"/invitation/{made.token}/"

    told = text_of(stranger().get(link))
    led_to = stranger().post(link)["Location"]
    answer = choose(led_to)

    assert "lets you choose a new password" in told
    assert (led_to.startswith("/password/"), answer.status_code, can_sign_in(NEW)) == (True, 302, True)
    assert stranger().post(link).status_code == 404

"""Requesters' messages by e-mail: to confirmed addresses alone, until the worker stops them."""

import pytest
from django.conf import LazySettings
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.marketplace.database import ALIAS
from crowd.marketplace.models import Assignment, Email, EmailAddress
from crowd.marketplace.models.parties import Message, Worker
from crowd.marketplace.services import messages, reviewing
from tests.crowd.marketplace.mailing import ADDRESS, path_in, sent, with_address
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.site import Browser, open_hit, stranger, text_of
from tests.factories import invite

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail_server(settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def done(browser: Browser) -> Assignment:
    now = timezone.now()
    done = hand_in(open_hit(), worker=browser.worker, now=now)
    reviewing.approve_assignment(assignment=done, feedback="", override=False, now=now)
    return done


def write(done: Assignment, *, subject: str = "A new round", text: str = "There is\nmore to do.") -> None:
    messages.write_to_workers(
        requester=done.hit.requester,
        worker_ids=[done.worker.external_id],
        subject=subject,
        text=text,
        now=timezone.now(),
    )


def test_a_message_comes_by_e_mail_too(done: Assignment) -> None:
    with_address(done.worker)

    write(done, subject="A new\r\nBcc: x@example.org")
    [letter] = sent()

    assert (letter.to, letter.subject) == ([ADDRESS], "A new Bcc: x@example.org")
    assert f"{done.hit.requester.name}, for whom you worked" in letter.body
    assert "There is\nmore to do." in letter.body
    assert f"/messages/{Message.objects.get().pk}/" in letter.body
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert path_in(letter, part="/email/stop/") in letter.extra_headers["List-Unsubscribe"]


@pytest.mark.parametrize(
    ("address", "values"),
    [(ADDRESS, {"wants_messages": False}), ("", {"unconfirmed": ADDRESS})],
)
def test_a_message_stands_on_the_site_alone_for_others(
    done: Assignment, address: str, values: dict[str, object]
) -> None:
    with_address(done.worker, address, **values)

    write(done)

    assert (sent(), Email.objects.count(), Message.objects.count()) == ([], 0, 1)


def test_a_message_costs_no_more_queries_for_who_has_no_address(done: Assignment) -> None:
    write(done)  # reads the rows of the test itself
    with CaptureQueriesContext(connections[ALIAS]) as without:
        write(done)
    with_address(done.worker)
    with CaptureQueriesContext(connections[ALIAS]) as with_one:
        write(done)

    assert len(with_one) == len(without) + 1


@pytest.mark.parametrize("body", [{}, {"List-Unsubscribe": "One-Click"}])
def test_the_link_stops_them_signed_out_and_without_a_token_of_a_form(
    done: Assignment, body: dict[str, str]
) -> None:
    mine = with_address(done.worker)
    write(done)
    write(done)
    link = path_in(sent()[0], part="/email/stop/")
    visitor = stranger(enforce_csrf_checks=True)

    looked = text_of(visitor.get(link))
    mine.refresh_from_db()
    after_a_look = mine.wants_messages
    write(done)
    stopped = visitor.post(link, body)

    mine.refresh_from_db()
    assert ("Stop messages by e-mail?" in looked, after_a_look, mine.wants_messages) == (True, True, False)
    assert (stopped.status_code, "No more messages by e-mail" in text_of(stopped)) == (200, True)
    assert (sent(), Message.objects.count()) == ([], 3)
    assert "No more messages" in text_of(stranger().get(link))


def test_a_link_to_stop_that_is_forged_stops_nothing(done: Assignment) -> None:
    with_address(done.worker)
    write(done)
    link = path_in(sent()[0], part="/email/stop/")

    answers = [stranger().post(f"{link[:-3]}xx/").status_code, stranger().post("/email/stop/x/").status_code]

    assert (answers, EmailAddress.objects.get().wants_messages) == ([404, 404], True)


def test_the_checkbox_switches_them_off_and_on(browser: Browser) -> None:
    mine = with_address(browser.worker)
    with_address(invite()[0])
    browser.post("/settings/email/messages/")
    off = list(EmailAddress.objects.order_by("pk").values_list("wants_messages", flat=True))
    browser.client.post("/settings/email/messages/", {"wanted": "on"})

    mine.refresh_from_db()
    assert (off, mine.wants_messages, Worker.objects.count()) == ([False, True], True, 2)

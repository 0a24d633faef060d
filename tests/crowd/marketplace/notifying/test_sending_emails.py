"""E-mails to workers wait in rows, and reach a mail server that is slow, refuses or is away."""

from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone
from structlog.testing import capture_logs

from crowd.marketplace import tasks
from crowd.marketplace.delivery import email_sweep, email_texts
from crowd.marketplace.models import Email, EmailAddress
from crowd.marketplace.services import erasure
from tests.crowd.marketplace.mailing import ADDRESS, sent
from tests.factories import NOW, invite

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _waiting(db: None) -> None:
    worker, _ = invite()
    EmailAddress.objects.create(worker=worker, unconfirmed=ADDRESS, language="en")
    Email.objects.create(worker=worker, kind=Email.Kind.CONFIRM, asked_at=NOW, due_at=NOW)


def fail_with(monkeypatch: pytest.MonkeyPatch, name: str, problem: Exception) -> None:
    def fail(*_: Any) -> int:
        raise problem

    monkeypatch.setattr(EmailBackend, name, fail)


def email() -> Email:
    return Email.objects.get()


def test_an_e_mail_is_sent_once_and_names_sender_and_site() -> None:
    [letter] = sent(now=NOW)

    assert (email().sent_at, sent(now=NOW + MINUTE)) == (NOW, [])
    assert (letter.to, letter.from_email) == ([ADDRESS], "crowd@localhost")
    assert letter.extra_headers["Auto-Submitted"] == "auto-generated"
    assert email_sweep.next_email(now=NOW) is None


def test_a_task_sends_what_is_due() -> None:
    Email.objects.update(asked_at=timezone.now())

    tasks.send_emails()

    assert len(mail.outbox) == 1


def test_a_refusal_is_tried_again_later_each_time_and_given_up_after_days(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fail_with(monkeypatch, "send_messages", SMTPDataError(451, f"{ADDRESS} is busy".encode()))
    monkeypatch.setattr(
        email_sweep, "write_email", lambda *_, **__: mail.EmailMessage("a", "b", to=[ADDRESS])
    )
    waits = []
    now = NOW

    while email().given_up_at is None:
        sent(now=now)
        waits.append(email().due_at - now)
        now = email().due_at

    assert waits[:4] == [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]
    assert max(waits) == email_sweep.LONGEST_WAIT
    assert (email().last_error, email_sweep.next_email(now=now)) == (
        "The mail server refused it (451).",
        None,
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [("open", ConnectionRefusedError()), ("send_messages", SMTPServerDisconnected("gone"))],
)
def test_what_waits_for_a_server_that_is_away_is_sent_once_it_is_back(
    monkeypatch: pytest.MonkeyPatch, name: str, problem: Exception
) -> None:
    worker, _ = invite()
    EmailAddress.objects.create(worker=worker, unconfirmed="b@example.org", language="en")
    Email.objects.create(worker=worker, kind=Email.Kind.CONFIRM, asked_at=NOW, due_at=NOW)
    with monkeypatch.context() as patch:
        fail_with(patch, name, problem)
        away = sent(now=NOW)
    due = email_sweep.next_email(now=NOW)

    too_early, back = sent(now=NOW + MINUTE / 2), sent(now=NOW + MINUTE)

    assert (away, due, too_early, len(back)) == ([], NOW + MINUTE, [], 2)


def test_a_sweep_that_died_in_the_middle_leaves_it_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        fail_with(patch, "send_messages", KeyboardInterrupt())  # type: ignore[arg-type]
        with pytest.raises(KeyboardInterrupt):
            sent(now=NOW)
    held = sent(now=NOW + MINUTE)

    assert (held, len(sent(now=NOW + email_sweep.LEASE))) == ([], 1)


def test_two_sweeps_send_one_e_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    inner: list[Any] = []
    write = email_texts.write_email

    def write_twice(row: Email, *, now: datetime) -> Any:
        if not inner:
            inner.append(True)
            email_sweep.send_emails(now=NOW)
        return write(row, now=now)

    monkeypatch.setattr(email_sweep, "write_email", write_twice)

    assert len(sent(now=NOW)) == 1


def test_nothing_is_sent_to_who_was_erased() -> None:
    erasure.erase_worker(worker_id=email().worker_id, in_spite_of_obstacles=False, now=NOW)

    assert sent(now=NOW) == []


def test_logs_and_rows_hold_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with capture_logs() as lines:
        with monkeypatch.context() as patch:
            fail_with(patch, "send_messages", SMTPDataError(550, f"no {ADDRESS}".encode()))
            sent(now=NOW)
        row = str(vars(email()))
        sent(now=NOW + MINUTE)

    assert (len(lines), ADDRESS in str(lines), ADDRESS in row) == (2, False, False)

"""Sends the e-mails that wait, each at least once.

A row is claimed by compare and swap: `due_at` moves ahead if it is still what it was. So a sweep that dies
in the middle leaves it to the next one, and nothing is sent within a transaction or a request.
"""

import time
from datetime import datetime, timedelta

import structlog
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F, QuerySet

from crowd.marketplace.delivery.email_texts import write_email
from crowd.marketplace.models import Email
from crowd.marketplace.services import password_resets
from hits.common.outgoing import Undeliverable
from hits.common.outgoing.outgoing_mail import mail_server, send_by

PATIENCE = timedelta(days=3)
LEASE = timedelta(minutes=2)  # longer than a sweep, and than the last call of it
SWEEP_S = 20.0
AT_ONCE = 100
SERVER_REST = timedelta(minutes=1)
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)
LONGEST_ERROR = 300
log = structlog.get_logger()


def send_emails(*, now: datetime) -> None:
    """Send what is due. If the server cannot be reached, all of it waits a minute."""
    password_resets.queue_links(now=now)
    if not _due(now).exists():
        return
    try:
        with mail_server() as connection:
            _send_due(connection, now=now)
    except Undeliverable as problem:
        log.warning("marketplace.email.no_server", problem=str(problem))
        late = _due(now)
        _give_up(late, problem, now=now)
        late.update(due_at=now + SERVER_REST, last_error=str(problem)[:LONGEST_ERROR])


def next_email(*, now: datetime) -> datetime | None:
    first = _waiting().order_by("due_at").values_list("due_at", flat=True).first()
    return min(filter(None, (first, password_resets.next_request())), default=None)


def _waiting() -> QuerySet[Email]:
    return Email.objects.filter(sent_at=None, given_up_at=None)


def _due(now: datetime) -> QuerySet[Email]:
    return _waiting().filter(due_at__lte=now)


def _send_due(connection: BaseEmailBackend, *, now: datetime) -> None:
    """Send links before messages: somebody sits and waits for a link."""
    ends = time.monotonic() + SWEEP_S
    rows = _due(now).select_related("worker", "message__requester")
    for email in rows.order_by(F("message").asc(nulls_first=True), "due_at", "pk")[:AT_ONCE]:
        if time.monotonic() > ends:
            return
        unchanged = _waiting().filter(pk=email.pk, due_at=email.due_at)
        if unchanged.update(due_at=now + LEASE, attempts=F("attempts") + 1):
            _send(connection, email, now=now)


def _send(connection: BaseEmailBackend, email: Email, *, now: datetime) -> None:
    """Send one e-mail. Raises Undeliverable only if the server has fallen silent."""
    message = write_email(email, now=now)
    mine = _waiting().filter(pk=email.pk)
    if message is None:
        mine.delete()
        return
    try:
        send_by(connection, message)
    except Undeliverable as problem:
        attempts = email.attempts + 1
        log.warning("marketplace.email.not_sent", kind=email.kind, attempts=attempts, problem=str(problem))
        _give_up(mine, problem, now=now)
        mine.update(due_at=now + wait_after(attempts), last_error=str(problem)[:LONGEST_ERROR])
        if problem.is_unclear:
            raise
    else:
        mine.update(sent_at=now, last_error="")
        log.info("marketplace.email.sent", kind=email.kind)


def wait_after(attempts: int) -> timedelta:
    """The time until the next attempt: twice as long each time."""
    return min(FIRST_WAIT * (1 << min(attempts - 1, 20)), LONGEST_WAIT)


def _give_up(emails: QuerySet[Email], problem: Undeliverable, *, now: datetime) -> None:
    old = emails.filter(asked_at__lte=now - PATIENCE)
    if given_up := old.update(given_up_at=now, last_error=str(problem)[:LONGEST_ERROR]):
        log.warning("marketplace.email.given_up", emails=given_up)

"""E-mails to workers as their programs receive them."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.core import mail
from django.core.mail import EmailMessage
from django.utils import timezone

from crowd.marketplace.delivery import email_sweep
from crowd.marketplace.models import EmailAddress
from crowd.marketplace.models.parties import Worker

ADDRESS = "jo@example.org"
LINK = re.compile(r"https?://\S+")


def sent(*, now: datetime | None = None) -> list[EmailMessage]:
    """Run the sweep, and return what it has sent."""
    before = len(mail.outbox)
    email_sweep.send_emails(now=now or timezone.now())
    return list(mail.outbox[before:])


def path_in(letter: EmailMessage, *, part: str) -> str:
    """The path of the one link in the e-mail that holds this part."""
    [found] = [link for link in LINK.findall(str(letter.body)) if part in link]
    return str(urlsplit(found).path)


def with_address(worker: Worker, address: str = ADDRESS, **values: Any) -> EmailAddress:
    """Give the worker a confirmed address."""
    return EmailAddress.objects.create(worker=worker, address=address, language="en", **values)

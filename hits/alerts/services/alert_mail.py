"""One e-mail with everything that waits for one person."""

from collections.abc import Sequence
from smtplib import (
    SMTPAuthenticationError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.urls import reverse

from hits.alerts.domain.digest import Line, lines_of
from hits.alerts.models import Alert
from hits.alerts.services.alert_words import news_of
from hits.common.outgoing import Undeliverable
from hits.identity.models.users import User

# The server has answered, so that nothing of it can have arrived.
REFUSALS = (SMTPResponseException, SMTPRecipientsRefused, SMTPAuthenticationError)
# No program answers a message that another program wrote.
HEADERS = {"Auto-Submitted": "auto-generated"}


def send_mail(*, user: User, alerts: Sequence[Alert]) -> None:
    """Send the lines. Raises Undeliverable, which is unclear if the server fell silent in the middle."""
    lines = lines_of(news_of(alert.occurrence) for alert in alerts)
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as problem:
        raise Undeliverable(_without_addresses(problem)) from problem
    message = EmailMessage(
        subject_of(lines), text_of(lines), to=[user.email], headers=HEADERS, connection=connection
    )
    try:
        message.send()
    except REFUSALS as problem:
        raise Undeliverable(_without_addresses(problem)) from problem
    except (OSError, SMTPServerDisconnected) as problem:
        raise Undeliverable("The mail server did not answer.", is_unclear=True) from problem
    finally:
        connection.close()


def subject_of(lines: Sequence[Line]) -> str:
    """Return one line without breaks: the title of a batch may hold any sign."""
    words = " ".join(lines[0].words.split())
    return words if len(lines) == 1 else f"{words} And {len(lines) - 1} more."


def text_of(lines: Sequence[Line]) -> str:
    told = "\n\n".join(f"{' '.join(line.words.split())}\n{line.url}" for line in lines)
    choose = settings.PUBLIC_URL + reverse("admin:hits_alerts")
    return (
        f"{told}\n\n--\n{urlsplit(settings.PUBLIC_URL).netloc}. What you are told is chosen here: {choose}\n"
    )


def _without_addresses(problem: Exception) -> str:
    """Return what kind of failure it was: the server's own words repeat the address of the person."""
    code = getattr(problem, "smtp_code", None)
    return f"The mail server refused it ({code})." if code else f"No mail was sent: {type(problem).__name__}."

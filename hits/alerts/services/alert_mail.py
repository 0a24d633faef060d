"""One e-mail with everything that waits for one person."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse

from hits.alerts.domain.digest import Line, lines_of
from hits.alerts.models import Alert
from hits.alerts.services.alert_words import news_of
from hits.common.outgoing.outgoing_mail import mail_server, send_by
from hits.identity.models.users import User

# No program answers a message that another program wrote.
HEADERS = {"Auto-Submitted": "auto-generated"}


def send_mail(*, user: User, alerts: Sequence[Alert]) -> None:
    """Send the lines. Raises Undeliverable, which is unclear if the server fell silent in the middle."""
    lines = lines_of(news_of(alert.occurrence) for alert in alerts)
    message = EmailMessage(subject_of(lines), text_of(lines), to=[user.email], headers=HEADERS)
    with mail_server() as connection:
        send_by(connection, message)


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

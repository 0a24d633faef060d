"""E-mail through the server that the settings name. What is said of a failure holds nobody's address."""

from collections.abc import Iterator
from contextlib import contextmanager
from smtplib import (
    SMTPAuthenticationError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from hits.common.outgoing import Undeliverable

# The server has answered, so that nothing of it can have arrived.
REFUSALS = (SMTPResponseException, SMTPRecipientsRefused, SMTPAuthenticationError)


@contextmanager
def mail_server() -> Iterator[BaseEmailBackend]:
    """Yield an open connection. Raises Undeliverable if the server cannot be reached."""
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as problem:
        raise Undeliverable(_without_addresses(problem)) from problem
    try:
        yield connection
    finally:
        connection.close()


def send_by(connection: BaseEmailBackend, message: EmailMessage) -> None:
    """Send the message. Raises Undeliverable, which is unclear if the server fell silent in the middle."""
    message.connection = connection
    try:
        message.send()
    except REFUSALS as problem:
        raise Undeliverable(_without_addresses(problem)) from problem
    except (OSError, SMTPServerDisconnected) as problem:
        raise Undeliverable("The mail server did not answer.", is_unclear=True) from problem


def _without_addresses(problem: Exception) -> str:
    """Return what kind of failure it was: the server's own words repeat the address of the person."""
    code = getattr(problem, "smtp_code", None)
    return f"The mail server refused it ({code})." if code else f"No mail was sent: {type(problem).__name__}."

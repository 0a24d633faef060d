"""What is written to workers, in the language in which they gave their address."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from crowd.marketplace.models import Email, EmailAddress
from crowd.marketplace.models.parties import Message
from crowd.marketplace.services import email_addresses, password_resets
from crowd.marketplace.services.email_addresses import CONFIRMATION_LIFE

Kind = Email.Kind
# Subject and text; None if there is nothing to say any more.
Words = tuple[str, str] | None


def write_email(email: Email, *, now: datetime) -> EmailMessage | None:
    """The whole e-mail; None if it is not to be sent any more."""
    mine = email_addresses.find_address(email.worker)
    if mine is None or email.worker.erased_at:
        return None
    to = _recipient(email, mine)
    with translation.override(mine.language or settings.LANGUAGE_CODE):
        words = WRITERS[Kind(email.kind)](email, mine, now) if to else None
    if words is None:
        return None
    subject, text = words
    return EmailMessage(
        " ".join(subject.split()),
        text,
        from_email=settings.MARKETPLACE_EMAIL_FROM,
        to=[to],
        headers=_headers(email, mine, now),
    )


def _recipient(email: Email, mine: EmailAddress) -> str:
    """The confirmed address, or for some letters the one that is not confirmed: they hold nothing secret."""
    if email.kind == Kind.ADMITTED:
        return mine.address or mine.unconfirmed
    return mine.unconfirmed if email.kind in TO_UNCONFIRMED and mine.unconfirmed else mine.address


def _headers(email: Email, mine: EmailAddress, now: datetime) -> dict[str, str]:
    """The same id at every attempt, so that what arrives twice is seen once."""
    host = settings.MARKETPLACE_EMAIL_FROM.rpartition("@")[2].rstrip(">")
    headers = {
        "Auto-Submitted": "auto-generated",
        "Message-ID": f"<{email.pk}.{email.asked_at.timestamp()}@{host}>",
    }
    if email.kind == Kind.MESSAGE:
        headers["List-Unsubscribe"] = f"<{_stop_link(mine, now)}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return headers


def _confirm(email: Email, mine: EmailAddress, now: datetime) -> Words:
    if not mine.unconfirmed or email.asked_at + CONFIRMATION_LIFE <= now:
        return None
    link = _link("email_confirm", email_addresses.sign_confirmation(mine, asked_at=email.asked_at))
    return _("Confirm your e-mail address"), _paragraphs(
        _("Hello %(name)s,") % {"name": email.worker.name},
        _("this address was given on the marketplace %(site)s. Open this link to confirm that it is yours:")
        % {"site": settings.MARKETPLACE_URL},
        link,
        _("The link works for %(days)s days. If it was not you, do nothing: nothing more is sent to you.")
        % {"days": CONFIRMATION_LIFE.days},
    )


def _invitation(email: Email, mine: EmailAddress, now: datetime) -> Words:
    invitation = email.worker.invitations.filter(expires_at__gt=now).order_by("-pk").first()
    if invitation is None:
        return None
    address = mine.unconfirmed or mine.address
    link = _link("invitation_by_email", email_addresses.sign_invitation(invitation, address=address))
    return _("Your invitation to small tasks that are paid"), _paragraphs(
        _("Hello %(name)s,") % {"name": email.worker.name},
        _("you are invited to %(site)s: small tasks of a research group, each of which is paid.")
        % {"site": settings.MARKETPLACE_URL},
        _("This link is for you alone: whoever opens it is signed in as you."),
        link,
        _("It works for %(days)s days, or until you set a password.")
        % {"days": (invitation.expires_at - email.asked_at).days},
    )


def _admitted(email: Email, mine: EmailAddress, now: datetime) -> Words:
    words = [
        _("Hello %(name)s,") % {"name": email.worker.name},
        _("an operator has agreed to your registration on %(site)s. Sign in, and choose your first task:")
        % {"site": settings.MARKETPLACE_URL},
        _link("sign_in"),
    ]
    if not mine.address:
        link = _link("email_confirm", email_addresses.sign_confirmation(mine, asked_at=email.asked_at))
        words += [_("Your e-mail address is not confirmed yet. Open this link to confirm it:"), link]
    return _("You can begin"), _paragraphs(*words)


def _reset(email: Email, mine: EmailAddress, now: datetime) -> Words:
    worker = email.worker
    if email.asked_at + password_resets.LINK_LIFE <= now:
        return None
    return _("A new password"), _paragraphs(
        _("Hello %(name)s,") % {"name": worker.name},
        _("somebody, probably you, asked for a new password for %(account)s on %(site)s. Choose it here:")
        % {"account": worker.sign_in_name or worker.name, "site": settings.MARKETPLACE_URL},
        _link("reset", password_resets.sign_reset(worker, asked_at=email.asked_at)),
        _("The link works once, and for an hour. If it was not you, do nothing: your password stays."),
    )


def _message(email: Email, mine: EmailAddress, now: datetime) -> Words:
    """The writer's own words, never changed, with the way to stop them behind."""
    message = email.message
    if message is None or not mine.wants_messages:
        return None
    return message.subject or _("(no subject)"), _paragraphs(
        _writer(message),
        message.text,
        "--",
        _("Nobody reads answers to this e-mail. The message on the site: %(link)s")
        % {"link": _link("message", message.pk)},
        _("No more messages by e-mail: %(link)s") % {"link": _stop_link(mine, now)},
    )


def _writer(message: Message) -> str:
    site = settings.MARKETPLACE_URL
    if message.requester is None:
        return _("Those who run %(site)s write:") % {"site": site}
    words = _("%(requester)s, for whom you worked on %(site)s, writes:")
    return words % {"requester": message.requester.name, "site": site}


def _paragraphs(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs) + "\n"


def _stop_link(mine: EmailAddress, now: datetime) -> str:
    return _link("email_stop", email_addresses.sign_stop(mine, now=now))


def _link(page: str, *parts: object) -> str:
    """The address of a page of the worker site; the process that sends may serve another site."""
    path = reverse(f"marketplace:{page}", args=parts, urlconf="crowd.marketplace.urls")
    return settings.MARKETPLACE_URL + path


WRITERS: dict[Kind, Callable[[Email, EmailAddress, datetime], Words]] = {
    Kind.CONFIRM: _confirm,
    Kind.INVITATION: _invitation,
    Kind.RESET: _reset,
    Kind.ADMITTED: _admitted,
    Kind.MESSAGE: _message,
}
TO_UNCONFIRMED = (Kind.CONFIRM, Kind.INVITATION)

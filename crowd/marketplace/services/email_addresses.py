"""Workers' e-mail addresses: given, confirmed by a link, written to or not."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.signing import BadSignature
from django.db.models import Q

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.models import Email, EmailAddress
from crowd.marketplace.models.parties import Invitation, Message, Worker

CONFIRMATION_LIFE = timedelta(days=3)
# Mail programs offer the link for as long as they keep the e-mail.
STOP_LIFE = timedelta(days=400)
# Links that confirm, for one worker or to one address: nobody's mailbox is filled from here.
MOST_LINKS, LINKS_WITHIN = 5, timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class Proof:
    """An address whose owner has opened the link that was sent there."""

    mine: EmailAddress
    address: str

    @property
    def is_confirmed(self) -> bool:
        return self.mine.address == self.address


def are_emails_sent() -> bool:
    """Whether workers get e-mails at all, if only as files."""
    return bool(settings.EMAIL_HOST) or settings.MARKETPLACE_EMAILS_ARE_FILES


def find_address(worker: Worker) -> EmailAddress | None:
    return EmailAddress.objects.filter(worker=worker).first()


def give_address(*, worker: Worker, address: str, language: str, now: datetime) -> None:
    """Save an address and send it a link; the confirmed one is used until then. An empty one deletes both."""
    address = address.lower()
    with atomic():
        Worker.objects.select_for_update(no_key=True).get(pk=worker.pk, erased_at=None)
        if not address:
            forget_address(worker)
            return
        mine, _ = EmailAddress.objects.get_or_create(worker=worker, defaults={"language": language})
        mine.unconfirmed = "" if address == mine.address else address
        mine.language = language
        mine.save(update_fields=["unconfirmed", "language"])
        _send_link(mine, now=now)


def invite_by_email(*, worker: Worker, address: str, now: datetime) -> None:
    """Keep the address that an operator gave, and send the new worker's invitation there."""
    EmailAddress.objects.create(worker=worker, unconfirmed=address.lower(), language="")
    queue_email(worker=worker, kind=Email.Kind.INVITATION, now=now)


def forget_address(worker: Worker) -> None:
    worker.emails.filter(sent_at=None).delete()
    EmailAddress.objects.filter(worker=worker).delete()


def send_link_again(*, worker: Worker, now: datetime) -> bool:
    """True if the link is sent once more; False if that was asked too often."""
    with atomic():
        Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
        mine = find_address(worker)
        return mine is not None and _send_link(mine, now=now)


def choose_messages(*, worker: Worker, wanted: bool) -> None:
    EmailAddress.objects.filter(worker=worker).update(wants_messages=wanted)


def choose_language(*, worker: Worker, language: str) -> None:
    EmailAddress.objects.filter(worker=worker).update(language=language)


def queue_messages(messages: Iterable[Message], *, now: datetime) -> None:
    """Queue the messages to workers with a confirmed address who want them by e-mail."""
    if are_emails_sent():
        Email.objects.bulk_create(
            Email(worker=message.worker, kind=Email.Kind.MESSAGE, message=message, asked_at=now, due_at=now)
            for message in messages
            if _wants_messages(message.worker)
        )


def queue_email(*, worker: Worker, kind: Email.Kind, now: datetime) -> Email:
    return Email.objects.create(worker=worker, kind=kind, asked_at=now, due_at=now)


def sign_confirmation(mine: EmailAddress, *, asked_at: datetime) -> str:
    payload = {"of": mine.pk, "to": seals.digest(mine.unconfirmed)}
    return seals.sign_link(payload, purpose="confirm", until=asked_at + CONFIRMATION_LIFE)


def read_confirmation(signed: str, *, now: datetime) -> Proof | None:
    """What the link proves, also if it did so before; None if the address is no longer the worker's."""
    payload = _read(signed, purpose="confirm", now=now)
    mine = EmailAddress.objects.filter(pk=payload.get("of", 0)).first()
    return _prove(mine, digest=payload.get("to"))


def confirm_address(proof: Proof, *, language: str) -> None:
    """Make the address the confirmed one, if it still waits for this."""
    waiting = EmailAddress.objects.filter(pk=proof.mine.pk, unconfirmed=proof.address)
    waiting.update(address=proof.address, unconfirmed="", language=language)


def sign_invitation(invitation: Invitation, *, address: str) -> str:
    """Sign a link that lets in as the invitation does, and proves the address: it is sent there alone."""
    payload = {"of": invitation.pk, "to": seals.digest(address)}
    return seals.sign_link(payload, purpose="invitation", until=invitation.expires_at)


def read_invitation(signed: str, *, now: datetime) -> tuple[Invitation, Proof | None] | None:
    """The invitation, and the address proved, if it is still the worker's; None once it has ended."""
    payload = _read(signed, purpose="invitation", now=now)
    alive = Invitation.objects.select_related("worker").filter(worker__erased_at=None)
    invitation = alive.filter(pk=payload.get("of", 0)).first()
    if invitation is None:
        return None
    return invitation, _prove(find_address(invitation.worker), digest=payload["to"])


def sign_stop(mine: EmailAddress, *, now: datetime) -> str:
    return seals.sign_link({"of": mine.pk}, purpose="stop", until=now + STOP_LIFE)


def read_stop(signed: str, *, now: datetime) -> EmailAddress | None:
    """The address to which a link in an e-mail asks to send no more messages."""
    payload = _read(signed, purpose="stop", now=now)
    return EmailAddress.objects.select_related("worker").filter(pk=payload.get("of", 0)).first()


def _read(signed: str, *, purpose: str, now: datetime) -> dict[str, Any]:
    try:
        return seals.read_link(signed, purpose=purpose, now=now)
    except BadSignature:
        return {}


def _prove(mine: EmailAddress | None, *, digest: object) -> Proof | None:
    for address in filter(None, (mine.unconfirmed, mine.address) if mine else ()):
        if mine and seals.digest(address) == digest:
            return Proof(mine=mine, address=address)
    return None


def _send_link(mine: EmailAddress, *, now: datetime) -> bool:
    """Send the link, unless many were sent lately."""
    here = Q(worker=mine.worker_id) | Q(worker__email_address__unconfirmed=mine.unconfirmed)
    lately = Email.objects.filter(here, kind=Email.Kind.CONFIRM, asked_at__gt=now - LINKS_WITHIN)
    if not mine.unconfirmed or lately.count() >= MOST_LINKS:
        return False
    queue_email(worker=mine.worker, kind=Email.Kind.CONFIRM, now=now)
    return True


def _wants_messages(worker: Worker) -> bool:
    mine: EmailAddress | None = getattr(worker, "email_address", None)
    return bool(mine and mine.address and mine.wants_messages)

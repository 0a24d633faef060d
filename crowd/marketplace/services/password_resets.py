"""A forgotten password: asked for by anybody, told to nobody, changed by a link that works once."""

from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.core.signing import BadSignature
from django.db import IntegrityError
from django.db.models import Q, QuerySet

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.models import Email, ResetRequest
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import accounts, email_addresses

LINK_LIFE = timedelta(hours=1)
MOST_LINKS = 3  # to one worker, while a link lives
AT_ONCE = 100
MOST_ACCOUNTS = 5  # of one address


def ask_reset(*, typed: str, now: datetime) -> None:
    """Keep what was typed until the background process looks whose it is.

    Whether there is such a worker is not looked up here: the answer and its time must not tell.
    """
    ResetRequest.objects.create(typed=typed.lower(), asked_at=now)


def queue_links(*, now: datetime) -> None:
    """Queue an e-mail to each worker who is meant and has a confirmed address. Every request is deleted."""
    for request in ResetRequest.objects.order_by("pk")[:AT_ONCE]:
        with atomic():
            taken, _ = ResetRequest.objects.filter(pk=request.pk).delete()
            if taken and request.asked_at + LINK_LIFE > now:
                for worker in _meant_by(request.typed)[:MOST_ACCOUNTS]:
                    _queue_link(worker, now=now)


def next_request() -> datetime | None:
    return ResetRequest.objects.order_by("pk").values_list("asked_at", flat=True).first()


def sign_reset(worker: Worker, *, asked_at: datetime) -> str:
    payload = {"of": worker.pk, "was": _fingerprint(worker)}
    return seals.sign_link(payload, purpose="reset", until=asked_at + LINK_LIFE)


def read_reset(signed: str, *, now: datetime) -> Worker | None:
    """The worker whose password the link may set; None once it was set, or the address is another."""
    try:
        payload = seals.read_link(signed, purpose="reset", now=now)
    except BadSignature:
        return None
    worker = Worker.objects.filter(pk=payload["of"], erased_at=None).first()
    return worker if worker and payload["was"] == _fingerprint(worker) else None


def reset_password(*, signed: str, sign_in_name: str, password: str, now: datetime) -> Worker | None:
    """Set name and password by the link; all sessions and invitations end. None if the link has ended.

    Raises RuleBroken if the sign-in name is taken.
    """
    encoded = make_password(password)
    try:
        with atomic():
            found = read_reset(signed, now=now)
            if found is None or not _is_first(found):
                return None
            Worker.objects.filter(pk=found.pk).update(sign_in_name=sign_in_name.lower(), password=encoded)
            found.sessions.all().delete()
            found.invitations.all().delete()
    except IntegrityError:
        raise accounts.name_taken() from None
    return found


def _is_first(found: Worker) -> bool:
    """Whether nobody has used the link while this one waited for the lock."""
    locked = Worker.objects.select_for_update(no_key=True).get(pk=found.pk)
    return locked.password == found.password and locked.erased_at is None


def _meant_by(typed: str) -> QuerySet[Worker]:
    named = Q(sign_in_name=typed) | Q(email_address__address=typed)
    return Worker.objects.filter(named, erased_at=None).exclude(email_address=None).order_by("pk")


def _queue_link(worker: Worker, *, now: datetime) -> None:
    mine = email_addresses.find_address(worker)
    lately = worker.emails.filter(kind=Email.Kind.RESET, asked_at__gt=now - LINK_LIFE)
    if mine and mine.address and lately.count() < MOST_LINKS:
        email_addresses.queue_email(worker=worker, kind=Email.Kind.RESET, now=now)


def _fingerprint(worker: Worker) -> str:
    """A digest of what the link replaces, and of where it was sent: another password ends it."""
    mine = email_addresses.find_address(worker)
    return seals.digest(f"{worker.password}\n{mine.address if mine else ''}")

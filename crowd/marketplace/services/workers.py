"""The operator's decisions about workers: invitations, registrations, facts, suspensions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Email, EmailAddress, Qualification
from crowd.marketplace.models.parties import Invitation, Worker
from crowd.marketplace.services import email_addresses, worker_sign_in


@dataclass(frozen=True, kw_only=True)
class Invited:
    """A person to invite. The link is sent to the address too, if there is one."""

    name: str
    address: str = ""


@dataclass(frozen=True, kw_only=True)
class InvitedWorker:
    """An invited worker. The token is shown once, within the link."""

    worker: Worker
    token: str
    sent_to: str = ""


def invite_workers(*, people: Sequence[Invited], now: datetime) -> list[InvitedWorker]:
    with atomic():
        return [_invite(person, now=now) for person in people]


def _invite(person: Invited, *, now: datetime) -> InvitedWorker:
    worker, token = worker_sign_in.invite_worker(name=person.name, now=now)
    if person.address:
        email_addresses.invite_by_email(worker=worker, address=person.address, now=now)
    return InvitedWorker(worker=worker, token=token, sent_to=person.address)


def invite_again(*, worker_id: int, now: datetime) -> InvitedWorker:
    """Make a new link, and send it to the worker's confirmed address. Earlier links end."""
    token, token_digest = seals.new_bearer()
    with atomic():
        worker = _lock(worker_id)
        worker.invitations.all().delete()
        Invitation.objects.create(
            worker=worker,
            token_digest=token_digest,
            created_at=now,
            expires_at=now + worker_sign_in.INVITATION_LIFE,
        )
        mine = email_addresses.find_address(worker)
        sent_to = mine.address if mine and email_addresses.are_emails_sent() else ""
        if sent_to:
            email_addresses.queue_email(worker=worker, kind=Email.Kind.INVITATION, now=now)
    return InvitedWorker(worker=worker, token=token, sent_to=sent_to)


def suspend_worker(*, worker_id: int, now: datetime) -> None:
    """Suspend a worker, who may finish begun work but accepts nothing more."""
    with atomic():
        worker = _lock(worker_id)
        worker.suspended_at = worker.suspended_at or now
        worker.save(update_fields=["suspended_at"])


def say_suspended() -> str:
    """What a suspended worker is told, with the contact of those who run the marketplace, if it is set."""
    told = _("Your account is suspended. Ask the group that invited you.")
    if settings.MARKETPLACE_CONTACT:
        here = _("Those who run this marketplace are reached here:")
        told = f"{told} {here} {settings.MARKETPLACE_CONTACT}"
    return told


def lift_suspension(*, worker_id: int) -> None:
    with atomic():
        worker = _lock(worker_id)
        worker.suspended_at = None
        worker.save(update_fields=["suspended_at"])


def set_facts(*, worker_id: int, country: str, subdivision: str, is_adult: bool, is_master: bool) -> None:
    """Set the facts from which system qualifications are computed, beside the worker's record."""
    with atomic():
        worker = _lock(worker_id)
        worker.country, worker.subdivision = country, subdivision
        worker.is_adult, worker.is_master = is_adult, is_master
        worker.save(update_fields=["country", "subdivision", "is_adult", "is_master"])


def waiting_workers() -> QuerySet[Worker]:
    return Worker.objects.filter(waits_since__isnull=False)


def admit_workers(*, external_ids: Sequence[str], now: datetime) -> list[str]:
    """Let workers in, and tell them by e-mail. Returns the ids of those who were still waiting."""
    with atomic():
        admitted = _lock_waiting(external_ids)
        Worker.objects.filter(pk__in=[worker.pk for worker in admitted]).update(waits_since=None)
        if email_addresses.are_emails_sent():
            reached = EmailAddress.objects.filter(worker__in=admitted).select_related("worker")
            for mine in reached.order_by("pk"):
                email_addresses.queue_email(worker=mine.worker, kind=Email.Kind.ADMITTED, now=now)
    return [worker.external_id for worker in admitted]


def decline_workers(*, external_ids: Sequence[str]) -> list[str]:
    """Delete registrations with all that they told. Returns the ids of those who were still waiting."""
    with atomic():
        declined = _lock_waiting(external_ids)
        keys = [worker.pk for worker in declined]
        Qualification.objects.filter(worker__in=keys).delete()
        Worker.objects.filter(pk__in=keys).delete()
    return [worker.external_id for worker in declined]


def _lock_waiting(external_ids: Sequence[str]) -> list[Worker]:
    waiting = waiting_workers().filter(external_id__in=external_ids)
    return list(waiting.select_for_update(no_key=True).order_by("pk"))


def _lock(worker_id: int) -> Worker:
    worker = Worker.objects.select_for_update(no_key=True).get(pk=worker_id)
    if worker.erased_at:
        raise RuleBroken("This worker was erased; nothing can be changed any more.")
    return worker

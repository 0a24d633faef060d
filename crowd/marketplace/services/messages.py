"""Requesters' messages to workers who did work for them."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef

from crowd.marketplace.database import atomic
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Message, Requester, Worker
from crowd.marketplace.services import email_addresses

REVIEWED = (Assignment.Status.APPROVED, Assignment.Status.REJECTED)


def write_to_workers(
    *, requester: Requester, worker_ids: Sequence[str], subject: str, text: str, now: datetime
) -> Collection[str]:
    """Send a message; return the ids of its readers: workers whose work the requester has reviewed.

    It stands on the site, and waits to be sent by e-mail to those who want that.
    """
    reviewed = Assignment.objects.filter(worker=OuterRef("pk"), hit__requester=requester, status__in=REVIEWED)
    known = Worker.objects.filter(Exists(reviewed), external_id__in=set(worker_ids), erased_at=None)
    workers = list(known.select_related("email_address").order_by("pk"))
    with atomic():
        written = Message.objects.bulk_create(
            Message(worker=worker, requester=requester, subject=subject, text=text, sent_at=now)
            for worker in workers
        )
        email_addresses.queue_messages(written, now=now)
    return {worker.external_id for worker in workers}

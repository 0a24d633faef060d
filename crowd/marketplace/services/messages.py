"""Messages to workers: of requesters for whom they worked, and of those who run the marketplace."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef

from crowd.marketplace.database import atomic
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Message, Requester, Worker
from crowd.marketplace.services import email_addresses

LONGEST_SUBJECT: int = Message._meta.get_field("subject").max_length or 0
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


def write_from_the_desk(
    *, workers: Collection[Worker], subject: str, text: str, now: datetime
) -> Sequence[Message]:
    """Send a message of those who run the marketplace, to be read on the site and by e-mail."""
    readers = Worker.objects.filter(pk__in=[worker.pk for worker in workers], erased_at=None)
    with atomic():
        written = Message.objects.bulk_create(
            Message(worker=worker, subject=subject[:LONGEST_SUBJECT], text=text, sent_at=now)
            for worker in readers.select_related("email_address").order_by("pk")
        )
        email_addresses.queue_messages(written, now=now)
    return written

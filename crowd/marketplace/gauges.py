"""Gauges of the marketplace, which it reads from its own database."""

from collections.abc import Iterator
from datetime import datetime

from django.conf import settings

from crowd.marketplace.models import Event
from crowd.marketplace.models.emails import Email
from hits.common.watching.row_gauges import Reading, read_queue, reads_gauges


@reads_gauges("marketplace")
def read_marketplace(now: datetime) -> Iterator[Reading]:
    """Read what waits to be sent. Where another machine has the marketplace, that one tells of it."""
    if not settings.MARKETPLACE_IS_HERE:
        return
    events = Event.objects.filter(delivered_at=None, given_up_at=None)
    emails = Email.objects.filter(sent_at=None, given_up_at=None)
    yield from read_queue("marketplace_events", events, since="occurred_at", now=now)
    yield from read_queue("marketplace_emails", emails, since="asked_at", now=now)

"""Rows for what has happened. Any of this may be repeated: a row that is there already is left alone."""

from datetime import datetime, timedelta

import structlog
from django.db import transaction

from hits.alerts.models import Kind, Occurrence
from hits.alerts.queries.happenings import instants, lasting

LASTING = (Kind.EMPTY, Kind.IDLE)
# A batch that starves, recovers and starves again is told of once in this time.
ONCE_IN = timedelta(days=1)
log = structlog.get_logger()


def find_occurrences(*, now: datetime) -> int:
    """Write a row for each thing that happened at one moment."""
    found = list(instants(now=now))
    if found:
        Occurrence.objects.bulk_create(found, ignore_conflicts=True)
        log.info("alert.found", occurrences=len(found))
    return len(found)


def find_starving(*, now: datetime) -> int:
    """Begin what lasts from now on, and end what is over. What ended in the last day is not begun again."""
    found = {(one.kind, one.key): one for one in lasting(now=now)}
    with transaction.atomic():
        rows = Occurrence.objects.filter(kind__in=LASTING, over_at=None)
        there = {(row.kind, row.key): row.pk for row in rows}
        over = [pk for key, pk in there.items() if key not in found]
        if over:
            Occurrence.objects.filter(pk__in=over).update(over_at=now)
        known = there.keys() | _told_lately(now)
        news = [one for key, one in found.items() if key not in known]
        Occurrence.objects.bulk_create(news, ignore_conflicts=True)
    return len(news)


def _told_lately(now: datetime) -> set[tuple[str, str]]:
    over = Occurrence.objects.filter(kind__in=LASTING, over_at__gt=now - ONCE_IN, told_at__isnull=False)
    return set(over.values_list("kind", "key"))

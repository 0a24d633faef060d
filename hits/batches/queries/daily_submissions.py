"""How much was handed in on each of the last days, in the studies that somebody sees."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.db.models import Count

from hits.work.access import studies_of
from hits.work.models.assignments import Assignment
from hits.work.queries.local_days import DAY, in_last_days

DAYS = 14


def submissions_by_day(user: Any, *, now: datetime) -> Sequence[tuple[date, int]]:
    """Return each of the last days in the studies' own time zones, those without submissions too."""
    studies = studies_of(user)
    zones = set(studies.order_by().values_list("time_zone", flat=True).distinct())
    of_study = "hit__batch__study"
    work = Assignment.objects.filter(hit__batch__study__in=studies)
    days, dated = in_last_days(
        work, moment="submitted_at", zone=f"{of_study}__time_zone", zones=zones, now=now, count=DAYS
    )
    counts = {group[DAY]: group["n"] for group in dated.values(DAY).annotate(n=Count("pk"))}
    return [(day, counts.get(day, 0)) for day in days]

"""Rows of many studies by the day of each study's own time zone, in one query."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.db.models import Case, DateField, Model, QuerySet, When
from django.db.models.functions import TruncDate

from hits.core.domain.days import last_days, start_of_day

Row = TypeVar("Row", bound=Model)
DAY = "local_day"


def in_last_days(
    rows: QuerySet[Row], *, moment: str, zone: str, zones: Collection[str], now: datetime, count: int
) -> tuple[Sequence[date], QuerySet[Row, dict[str, Any]]]:
    """Return the last days, and the rows of these days with their `local_day`, to be grouped.

    `moment` and `zone` are lookups from a row; `zones` are all that occur. Without any, there are no rows.
    """
    zones = set(zones) or {"UTC"}
    days = last_days(now, zones=zones, count=count)
    since = min(start_of_day(days[0], zone=one) for one in zones)
    by_zone = [When(**{zone: one}, then=TruncDate(moment, tzinfo=ZoneInfo(one))) for one in sorted(zones)]
    dated: Any = rows.filter(**{f"{moment}__gte": since, f"{moment}__lte": now})
    marked = dated.annotate(**{DAY: Case(*by_zone, output_field=DateField())})
    return days, marked.filter(**{f"{DAY}__gte": days[0]}).order_by().values(DAY)

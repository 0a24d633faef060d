"""Counts of refusals on a study's pages, by reason and day. No worker is recorded."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import F

from hits.studies.models import Study
from qualifications.models import RefusalCount

LONGEST = RefusalCount._meta.get_field("code").max_length


def count_refusal(*, study: Study, code: str, now: datetime) -> None:
    """Count a refusal, outside of the refused transaction.

    Mostly one query; the first of a day makes the row.
    """
    day = now.astimezone(ZoneInfo(study.time_zone)).date()
    row = {"study": study, "day": day, "code": code[:LONGEST]}
    counts = RefusalCount.objects.filter(**row)
    if counts.update(count=F("count") + 1):
        return
    RefusalCount.objects.bulk_create([RefusalCount(**row)], ignore_conflicts=True)
    counts.update(count=F("count") + 1)

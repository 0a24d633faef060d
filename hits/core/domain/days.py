"""What "daily" means: the calendar day of a study's own time zone, which may have 23 or 25 hours."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


def day_around(now: datetime, *, zone: str) -> tuple[datetime, datetime]:
    """The first instant of the day that it is there, and the first instant of the next one."""
    there = ZoneInfo(zone)
    today = now.astimezone(there).date()
    start, end = (datetime.combine(day, time(), there) for day in (today, today + timedelta(days=1)))
    return start.astimezone(UTC), end.astimezone(UTC)

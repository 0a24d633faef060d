"""The meaning of "daily": the calendar day of a study's own time zone, which may have 23 or 25 hours."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


def day_around(now: datetime, *, zone: str) -> tuple[datetime, datetime]:
    """Return the first instant of the current day in the zone, and the first instant of the next day."""
    there = ZoneInfo(zone)
    today = now.astimezone(there).date()
    start, end = (datetime.combine(day, time(), there) for day in (today, today + timedelta(days=1)))
    return start.astimezone(UTC), end.astimezone(UTC)

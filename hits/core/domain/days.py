"""Days and moments: the calendar day of a study's own time zone, which may have 23 or 25 hours, and words."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def day_around(now: datetime, *, zone: str) -> tuple[datetime, datetime]:
    """Return the first instant of the current day in the zone, and the first instant of the next day."""
    there = ZoneInfo(zone)
    today = now.astimezone(there).date()
    start, end = (datetime.combine(day, time(), there) for day in (today, today + timedelta(days=1)))
    return start.astimezone(UTC), end.astimezone(UTC)


def day_in_words(at: date) -> str:
    """Return a day as all pages write it: 7 Nov 2026."""
    return f"{at.day} {at:%b %Y}"


def moment_in_words(at: datetime) -> str:
    """Return a moment as all pages write it, in its own zone: 7 Nov 2026, 13:36."""
    return f"{day_in_words(at)}, {at:%H:%M}"

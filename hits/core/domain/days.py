"""Days and moments: the calendar day of a study's own time zone, which may have 23 or 25 hours, and words."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def day_around(now: datetime, *, zone: str) -> tuple[datetime, datetime]:
    """Return the first instant of the current day in the zone, and the first instant of the next day."""
    there = ZoneInfo(zone)
    today = now.astimezone(there).date()
    start, end = (datetime.combine(day, time(), there) for day in (today, today + timedelta(days=1)))
    return start.astimezone(UTC), end.astimezone(UTC)


def start_of_day(day: date, *, zone: str) -> datetime:
    """Return the first instant of the day in the zone."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def last_days(now: datetime, *, zones: Iterable[str], count: int) -> list[date]:
    """Return the last days, oldest first, until today where it is latest among these zones."""
    today = max((now.astimezone(ZoneInfo(zone)).date() for zone in zones), default=now.date())
    return [today - timedelta(days=ago) for ago in reversed(range(count))]


def day_in_words(at: date) -> str:
    """Return a day as all pages write it: 7 Nov 2026."""
    return f"{at.day} {at:%b %Y}"


def moment_in_words(at: datetime) -> str:
    """Return a moment as all pages write it, in its own zone: 7 Nov 2026, 13:36."""
    return f"{day_in_words(at)}, {at:%H:%M}"

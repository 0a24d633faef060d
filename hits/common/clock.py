"""Time by which sweeps decide: the database's, so that a machine with a wrong clock decides as all do."""

import time
from datetime import UTC, datetime, timedelta

import structlog
from django.db import DatabaseError, connection
from django.utils import timezone

COMPARE_EVERY_S = 60.0
# A smaller difference is only the time to the database and back.
ALIKE = timedelta(seconds=1)
log = structlog.get_logger()
_ahead = timedelta(0)
_compared = float("-inf")


def now() -> datetime:
    return timezone.now() + _ahead


def compare() -> None:
    """Compare the clock with the database's, at intervals: a machine's clock may be set at any time."""
    global _ahead, _compared
    if time.monotonic() < _compared + COMPARE_EVERY_S:
        return
    try:
        ahead = database_ahead()
    except DatabaseError:  # whoever needs it will say so
        return
    if abs(ahead) <= ALIKE:
        ahead = timedelta(0)
    else:
        log.warning("clock.wrong", seconds=round(-ahead.total_seconds(), 1))
    _ahead, _compared = ahead, time.monotonic()


def database_ahead() -> timedelta:
    """Lead of the database's clock over this machine's; zero for SQLite, which has the machine's own."""
    if connection.vendor == "sqlite":
        return timedelta(0)
    before = datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        theirs: datetime = cursor.fetchone()[0]
    return theirs - before - (datetime.now(UTC) - before) / 2

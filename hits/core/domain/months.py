"""Calendar months of a study's own time zone, in which everything monthly begins and ends."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo


@dataclass(frozen=True, order=True)
class Month:
    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year:04}-{self.number:02}"

    @property
    def next(self) -> "Month":
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    @property
    def previous(self) -> "Month":
        return Month(self.year - (self.number == 1), (self.number - 2) % 12 + 1)

    def bounds(self, zone: str) -> tuple[datetime, datetime]:
        """Return the month's first instant in the zone, and the first instant of the next month."""
        return _first_instant(self, zone), _first_instant(self.next, zone)


def read_month(text: str) -> Month:
    """Return the month of a text such as 2026-11. Raises ValueError if the text is no month."""
    day = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007 -- a month, and no instant
    return Month(day.year, day.month)


def month_of(moment: datetime, *, zone: str) -> Month:
    """Return the month of an instant in the zone."""
    there = moment.astimezone(ZoneInfo(zone))
    return Month(there.year, there.month)


def _first_instant(month: Month, zone: str) -> datetime:
    first = date(month.year, month.number, 1)
    return datetime.combine(first, time(), ZoneInfo(zone)).astimezone(UTC)

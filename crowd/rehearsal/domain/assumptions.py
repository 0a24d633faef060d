"""What a rehearsal assumes of its workers, and what it lets go wrong."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

# The least and the most of each figure.
BOUNDS: Mapping[str, tuple[int, int]] = {
    "workers": (1, 2000),
    "skill": (0, 100),
    "skill_spread": (0, 50),
    "fools": (0, 100),
    "understood": (0, 100),
    "item_s": (1, 3600),
    "gives_up": (0, 100),
    "spammers": (0, 100),
    "fails_tests": (0, 100),
    "works_each": (1, 10_000),
    "first_hour": (0, 23),
    "last_hour": (1, 24),
    "come_within_h": (1, 720),
    "review_h": (0, 720),
    "most_days": (1, 60),
    "runs": (1, 20),
    "throttled": (0, 90),
    "lost_events": (0, 100),
    "killed": (0, 50),
}
MOST_ZONES = 24


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    workers: int = 200
    # How often a careful worker finds what is expected, in per cent, and by how much workers differ.
    skill: int = 85
    skill_spread: int = 10
    # Of a hundred pictures that a creator chooses for a word, how many the model misses, and of a hundred
    # words, how many people understand.
    fools: int = 40
    understood: int = 90
    # Seconds for one item; a spammer takes a tenth.
    item_s: int = 30
    # Of a hundred begun works, how many are left until their time is over.
    gives_up: int = 3
    spammers: int = 3
    fails_tests: int = 20
    # How many works one worker does on average; few do far more.
    works_each: int = 40
    # Hours of the day on which people work, by their own clocks, and these clocks: hours from UTC.
    first_hour: int = 9
    last_hour: int = 22
    zones: tuple[float, ...] = (-8.0, -6.0, -5.0)
    come_within_h: int = 24
    # How long work waits for a person's decision where a person decides.
    review_h: int = 24
    most_days: int = 21
    runs: int = 3
    # Faults: of a hundred calls, of a hundred events, and of a hundred processes.
    throttled: int = 0
    lost_events: int = 0
    killed: int = 0

    @property
    def has_faults(self) -> bool:
        return bool(self.throttled or self.lost_events or self.killed)

    def as_data(self) -> dict[str, Any]:
        return {**asdict(self), "zones": list(self.zones)}


def read_assumptions(data: Mapping[str, Any]) -> Assumptions:
    """Read assumptions; what is missing is assumed as usual. Raises ValueError that names what is wrong."""
    known = {field.name for field in fields(Assumptions)}
    if unknown := sorted(set(data) - known):
        raise ValueError(f"Nothing is assumed about {', '.join(unknown)}.")
    values: dict[str, Any] = {name: _bounded(name, data[name]) for name in BOUNDS if name in data}
    if "zones" in data:
        values["zones"] = read_zones(data["zones"])
    found = Assumptions(**values)
    if found.first_hour >= found.last_hour:
        raise ValueError("The first working hour must be before the last one.")
    return found


def read_zones(values: Any) -> tuple[float, ...]:
    """Read hours from UTC, such as [-5, 5.5]. Raises ValueError."""
    if not isinstance(values, list | tuple) or not 1 <= len(values) <= MOST_ZONES:
        raise ValueError(f"Name 1 to {MOST_ZONES} time zones, as hours from UTC such as -5 or 5.5.")
    try:
        zones = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ValueError("A time zone is a number of hours from UTC, such as -5 or 5.5.") from None
    if not all(-12 <= zone <= 14 for zone in zones):
        raise ValueError("A time zone is at least 12 hours behind UTC and at most 14 ahead.")
    return zones


def _bounded(name: str, value: Any) -> int:
    least, most = BOUNDS[name]
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}.")
    return value

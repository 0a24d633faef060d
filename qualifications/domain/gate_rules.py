"""A gate's rules: what the mean of a test must come to, in whole percents and exact fractions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

ABOVE = "above"
AT_LEAST = "at_least"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A limit on a measure's mean: strictly above, or at least, so many percent."""

    measure: str
    percent: int
    strictly: bool

    def holds(self, mean: Fraction) -> bool:
        return 100 * mean > self.percent if self.strictly else 100 * mean >= self.percent


@dataclass(frozen=True, kw_only=True)
class Floor:
    """A limit on the mean of the latest scores, in percent; a worker who falls below it loses the gate."""

    measure: str
    below: int
    last: int

    def is_broken(self, values: Sequence[Fraction]) -> bool:
        """Whether the scores, latest first, break the floor; too few scores never do."""
        return len(values) >= self.last and 100 * sum(values[: self.last]) < self.below * self.last


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The mean that a test reached in one measure, and whether its bound holds."""

    bound: Bound
    mean: Fraction
    count: int

    @property
    def holds(self) -> bool:
        return self.bound.holds(self.mean)

    def as_json(self) -> dict[str, Any]:
        return {
            "measure": self.bound.measure,
            AT_LEAST if not self.bound.strictly else ABOVE: self.bound.percent,
            "numerator": self.mean.numerator,
            "denominator": self.mean.denominator,
            "count": self.count,
            "holds": self.holds,
        }


def as_share(percent: int) -> Fraction:
    return Fraction(percent, 100)


def read(data: Any) -> list[Bound]:
    """Read a gate's rules from JSON. Raises ValueError, saying what to correct, if they are malformed."""
    return [_read_bound(row, number) for number, row in enumerate(_rows(data), start=1)]


def read_floors(data: Any) -> list[Floor]:
    """Read a gate's floors from JSON. Raises ValueError, saying what to correct, if they are malformed."""
    return [_read_floor(row, number) for number, row in enumerate(_rows(data), start=1)]


def read_finding(row: Any) -> Finding | None:
    """Read a finding that `as_json` has written; None for any other data."""
    if not isinstance(row, Mapping) or not isinstance(row.get("measure"), str):
        return None
    name = ABOVE if ABOVE in row else AT_LEAST
    try:
        percent, count = int(row[name]), int(row["count"])
        mean = Fraction(int(row["numerator"]), int(row["denominator"]))
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    return Finding(
        bound=Bound(measure=row["measure"], percent=percent, strictly=name == ABOVE), mean=mean, count=count
    )


def bounds_of(findings: Any) -> list[Bound]:
    """Bounds by which an attempt was graded, read from its findings."""
    rows = findings if isinstance(findings, list) else []
    return [finding.bound for row in rows if (finding := read_finding(row))]


def grade(bounds: Sequence[Bound], scores: Mapping[str, Sequence[Fraction]], *, items: int) -> list[Finding]:
    """Compute one finding for each bound; none at all while a measure has too few scores."""
    if any(len(scores.get(bound.measure, ())) < items for bound in bounds):
        return []
    return [
        Finding(
            bound=bound,
            mean=sum(scores[bound.measure], Fraction(0)) / len(scores[bound.measure]),
            count=len(scores[bound.measure]),
        )
        for bound in bounds
    ]


def _rows(data: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise ValueError("The rules are a list of objects.")
    return data


def _read_bound(row: Mapping[str, Any], number: int) -> Bound:
    measure = _measure(row, number)
    given = [name for name in (ABOVE, AT_LEAST) if name in row]
    if len(given) != 1 or set(row) != {"measure", *given}:
        raise ValueError(f"Rule {number} needs a measure, and either “above” or “at_least”.")
    return Bound(measure=measure, percent=_percent(row[given[0]], number), strictly=given[0] == ABOVE)


def _read_floor(row: Mapping[str, Any], number: int) -> Floor:
    measure = _measure(row, number)
    if set(row) != {"measure", "below", "last"}:
        raise ValueError(f"Floor {number} needs a measure, “below” and “last”.")
    last = row["last"]
    if type(last) is not int or not 1 <= last <= 1000:
        raise ValueError(f"Floor {number}: “last” is how many scores count, from 1 to 1000.")
    return Floor(measure=measure, below=_percent(row["below"], number), last=last)


def _measure(row: Mapping[str, Any], number: int) -> str:
    measure = row.get("measure")
    if not isinstance(measure, str) or not measure:
        raise ValueError(f"Rule {number} needs a measure.")
    return measure


def _percent(value: Any, number: int) -> int:
    if type(value) is not int or not 0 <= value <= 100:
        raise ValueError(f"Rule {number}: per cent is a whole number from 0 to 100.")
    return value

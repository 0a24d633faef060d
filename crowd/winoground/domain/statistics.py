"""Summaries of many examples: shares, and their intervals by Student's t."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

GROUPS = 4
# The 97.5 % quantile of Student's t with 3 degrees of freedom.
T_OF_GROUPS = 3.182446305283708


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A 95 % interval, never below 0 or above 1."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Share:
    """How many are right, of how many. The interval is None if there are too few for four groups."""

    right: int
    of: int
    interval: Interval | None

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.right, self.of) if self.of else None


def share_of(rights: Sequence[bool]) -> Share:
    """The share of right examples, given in the order of their numbers, which decides on the groups."""
    return Share(right=sum(rights), of=len(rights), interval=interval_of(rights))


def interval_of(rights: Sequence[bool]) -> Interval | None:
    """The 95 % interval by four groups, dealt in turn: their mean plus and minus t standard errors."""
    if len(rights) < GROUPS:
        return None
    groups = [rights[start::GROUPS] for start in range(GROUPS)]
    means = [Fraction(sum(group), len(group)) for group in groups]
    middle = sum(means, Fraction(0)) / GROUPS
    variance = sum(((mean - middle) ** 2 for mean in means), Fraction(0)) / (GROUPS - 1)
    away = T_OF_GROUPS * sqrt(variance / GROUPS)
    return Interval(low=max(0.0, float(middle) - away), high=min(1.0, float(middle) + away))

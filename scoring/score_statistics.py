"""Intervals of scores, exact up to the last step."""

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


def interval_of_groups(means: Sequence[Fraction]) -> Interval | None:
    """The 95 % interval by the means of four groups: theirs, plus and minus t standard errors."""
    if len(means) < GROUPS:
        return None
    middle = sum(means, Fraction(0)) / GROUPS
    variance = sum(((mean - middle) ** 2 for mean in means), Fraction(0)) / (GROUPS - 1)
    away = T_OF_GROUPS * sqrt(variance / GROUPS)
    return Interval(low=max(0.0, float(middle) - away), high=min(1.0, float(middle) + away))

"""Intervals and correlations of scores, exact up to the last step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

GROUPS = 4
# The 97.5 % quantile of Student's t with 3 degrees of freedom.
T_OF_GROUPS = 3.182446305283708
# The fewest pairs of which anything can be said.
FEWEST = 3


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A 95 % interval, never below 0 or above 1."""

    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Pearson's r of `of` pairs; its square is rounded once, from the exact one."""

    r: float
    squared: float
    of: int


def interval_of_groups(means: Sequence[Fraction]) -> Interval | None:
    """The 95 % interval by the means of four groups: theirs, plus and minus t standard errors."""
    if len(means) < GROUPS:
        return None
    middle = sum(means, Fraction(0)) / GROUPS
    variance = sum(((mean - middle) ** 2 for mean in means), Fraction(0)) / (GROUPS - 1)
    away = T_OF_GROUPS * sqrt(variance / GROUPS)
    return Interval(low=max(0.0, float(middle) - away), high=min(1.0, float(middle) + away))


def correlate(pairs: Iterable[tuple[Fraction | int, Fraction | int]]) -> Correlation | None:
    """Pearson's r, or None if there are fewer than three pairs or all values of one side are the same."""
    count, x_sum, y_sum, x_squares, y_squares, products = 0, *[Fraction()] * 5
    for x, y in pairs:
        count, x_sum, y_sum = count + 1, x_sum + x, y_sum + y
        x_squares, y_squares, products = x_squares + x * x, y_squares + y * y, products + x * y
    x_spread, y_spread = count * x_squares - x_sum**2, count * y_squares - y_sum**2
    if count < FEWEST or not x_spread or not y_spread:
        return None
    shared = count * products - x_sum * y_sum
    squared = float(shared**2 / (x_spread * y_spread))
    return Correlation(r=sqrt(squared) if shared > 0 else -sqrt(squared), squared=squared, of=count)

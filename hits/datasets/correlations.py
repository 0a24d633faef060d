"""Pearson's r of exact numbers, and its probability by chance."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

Exact = Fraction | int
# The fewest pairs of which anything can be said.
FEWEST = 3


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Pearson's r of `of` pairs; its square is rounded once, from the exact one."""

    r: float
    squared: float
    of: int


def correlate(pairs: Iterable[tuple[Exact, Exact]]) -> Correlation | None:
    """Pearson's r, or None if there are fewer than three pairs or all values of one side are the same."""
    return correlate_counted((pair, 1) for pair in pairs)


def correlate_counted(pairs: Iterable[tuple[tuple[Exact, Exact], int]]) -> Correlation | None:
    """Pearson's r of pairs, each with how often it is there."""
    count, x_sum, y_sum, x_squares, y_squares, products = 0, *[Fraction()] * 5
    for (x, y), times in pairs:
        count, x_sum, y_sum = count + times, x_sum + x * times, y_sum + y * times
        x_squares, y_squares = x_squares + x * x * times, y_squares + y * y * times
        products += x * y * times
    x_spread, y_spread = count * x_squares - x_sum**2, count * y_squares - y_sum**2
    if count < FEWEST or not x_spread or not y_spread:
        return None
    shared = count * products - x_sum * y_sum
    squared = float(shared**2 / (x_spread * y_spread))
    return Correlation(r=sqrt(squared) if shared > 0 else -sqrt(squared), squared=squared, of=count)


def chance_of(found: Correlation) -> float:
    """The probability of an r as far from 0 without a correlation: Student's t, n - 2 degrees of freedom."""
    from scipy.special import betainc  # noqa: PLC0415 - a third of a second, for one page of researchers

    return float(betainc((found.of - 2) / 2, 0.5, 1 - found.squared))

"""Pearson's r of exact numbers, and its probability by chance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

Exact = Fraction | int


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """Pearson's r of `of` pairs; its square is rounded once, from the exact one."""

    r: float
    squared: float
    of: int


def correlate(xs: Sequence[Exact], ys: Sequence[Exact]) -> Correlation | None:
    """Pearson's r, or None if there are fewer than three pairs or all values of one side are the same."""
    return correlate_pairs(Counter(zip(xs, ys, strict=True)))


def correlate_pairs(pairs: Mapping[tuple[Exact, Exact], int]) -> Correlation | None:
    """Pearson's r of pairs, given by how often each is there."""
    count = sum(pairs.values())
    x_sum = sum(x * times for (x, _), times in pairs.items())
    y_sum = sum(y * times for (_, y), times in pairs.items())
    x_spread = count * sum(x * x * times for (x, _), times in pairs.items()) - x_sum * x_sum
    y_spread = count * sum(y * y * times for (_, y), times in pairs.items()) - y_sum * y_sum
    if count < 3 or not x_spread or not y_spread:
        return None
    shared = count * sum(x * y * times for (x, y), times in pairs.items()) - x_sum * y_sum
    squared = float(Fraction(shared * shared) / (x_spread * y_spread))
    r = sqrt(squared) if shared > 0 else -sqrt(squared)
    return Correlation(r=r, squared=squared, of=count)


def chance_of(found: Correlation) -> float:
    """The probability of an r as far from 0 without a correlation: Student's t, n - 2 degrees of freedom."""
    from scipy.special import betainc  # noqa: PLC0415 - a third of a second, for one page of researchers

    return float(betainc((found.of - 2) / 2, 0.5, 1 - found.squared))

"""How surprising a figure of one worker is beside those of the others: a number of nought to ten.

It is minus the decimal logarithm of the probability that chance alone makes a figure as odd as this one.
"""

from math import e, erfc, log10, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.quality.judged_labels import Floats

MOST = 10.0
# What a figure has on average that is odd by nothing but chance.
BY_CHANCE = log10(e)
# A sign is told if chance alone would show one anywhere in fewer than one crowd of twenty.
CHANCE = 0.05
# From the median of absolute deviations to the standard deviation, of a normal distribution.
FROM_MEDIAN = 1.4826
TINIEST = 1e-300


def surprise(score: float) -> float:
    """Return the surprise of a standard score of which only the upper end is odd."""
    return 0.0 if np.isnan(score) else of_chance(erfc(score / sqrt(2)) / 2)


def of_chance(chance: float) -> float:
    return min(MOST, -log10(min(max(chance, TINIEST), 1.0)))


def surprises(scores: NDArray[Any]) -> Floats:
    return np.array([surprise(float(score)) for score in scores], dtype=float)


def least_told(looks: int) -> float:
    """Return the surprise from which a sign is told, where so many figures were looked at."""
    return log10(max(looks, 1) / CHANCE)


def below_others(values: Floats, errors: Floats, *, spread: float) -> Floats:
    """Return standard scores of how far each value is below the middle of the crowd.

    People differ without being odd: their spread, robustly estimated and never less than `spread`, is added
    to each value's own error. A value that is not a number has no score.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.full(len(values), np.nan)
    middle = np.median(values[known])
    apart = FROM_MEDIAN * np.median(np.abs(values[known] - middle))
    natural = max(apart**2 - float(np.median(errors[known] ** 2)), spread**2)
    return np.asarray((middle - values) / np.sqrt(errors**2 + natural))

"""How many items give an interval of a wanted width, before anybody is paid for them.

A width is from end to end: 0.1 for ten points of a hundred.
"""

from collections.abc import Callable
from functools import partial
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
# More items than this are not asked about: the width was a mistake.
MOST_ITEMS = 10_000_000
# Of a share that nobody can guess, the one whose interval is widest.
UNKNOWN_SHARE = 0.5
# Values from 0 to 1 can have no larger standard deviation.
MOST_SPREAD = 0.5
# How sure it is to be that a figure of a pilot does not promise too narrow an interval.
CAUTION = 0.8

# The width of an interval by the number of items.
WidthOf = Callable[[int], float]


def fewest_items(wanted: float, width_of: WidthOf, *, at_least: int = 1) -> int | None:
    """Return the fewest items whose interval is no wider than wanted; None beyond all bounds."""
    low, high = at_least, MOST_ITEMS
    if wanted <= 0 or width_of(high) > wanted:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if width_of(middle) <= wanted else (middle + 1, high)
    return low


def share_interval(count: float, of: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's interval of a share, which holds near 0 and 1 too."""
    z, share = _score(confidence), count / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    reach = share_width(of, share=share, confidence=confidence) / 2
    return max(0.0, middle - reach), min(1.0, middle + reach)


def share_width(items: int, *, share: float = UNKNOWN_SHARE, confidence: float = CONFIDENCE) -> float:
    """Return the width of Wilson's interval of a share."""
    z = _score(confidence)
    root = sqrt(share * (1 - share) / items + z**2 / (4 * items**2))
    return 2 * z / (1 + z**2 / items) * root


def mean_width(items: int, *, spread: float, confidence: float = CONFIDENCE) -> float:
    """Return the width of the interval of a mean; `spread` is the items' standard deviation."""
    return 2 * _score(confidence) * spread / sqrt(items)


def alpha_width(
    items: int, *, interval: tuple[float, float], of: int, confidence: float = CONFIDENCE
) -> float:
    """Return the width of alpha's interval over items, which narrows with the square root of their number.

    `interval` is that of 95 % which a pilot or a simulated crowd had with `of` items; as many answers are
    asked of each item.
    """
    low, high = interval
    return (high - low) * sqrt(of / items) * _score(confidence) / _score(CONFIDENCE)


def items_for_share(
    width: float, *, share: float = UNKNOWN_SHARE, confidence: float = CONFIDENCE
) -> int | None:
    return fewest_items(width, partial(share_width, share=share, confidence=confidence))


def items_for_mean(width: float, *, spread: float, confidence: float = CONFIDENCE) -> int | None:
    return fewest_items(width, partial(mean_width, spread=spread, confidence=confidence), at_least=2)


def items_for_alpha(
    width: float, *, interval: tuple[float, float], of: int, confidence: float = CONFIDENCE
) -> int | None:
    known = partial(alpha_width, interval=interval, of=of, confidence=confidence)
    return fewest_items(width, known, at_least=2)


def cautious_share(count: float, of: int) -> float:
    """Return the share to plan with: of those that a pilot leaves likely, the one nearest to a half."""
    low, high = share_interval(count, of, confidence=2 * CAUTION - 1)
    return min(max(UNKNOWN_SHARE, low), high)


def cautious_spread(spread: float, of: int) -> float:
    """Return the spread to plan with: the upper bound of a pilot's, as Browne (1995) has it.

    A pilot of one item, or of items that are all equal, says nothing of it.
    """
    if of < 2 or not spread:
        return MOST_SPREAD
    return min(MOST_SPREAD, spread * sqrt((of - 1) / _chi_square(1 - CAUTION, of - 1)))


def _chi_square(probability: float, freedom: int) -> float:
    """Return the quantile by Wilson and Hilferty: within 1 % from four degrees of freedom on."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + NormalDist().inv_cdf(probability) * sqrt(part)) ** 3)


def _score(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)

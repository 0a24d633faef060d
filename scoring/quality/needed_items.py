"""How many items give an interval of a wanted width, before anybody is paid for them."""

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist, stdev

from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.judged_labels import Labels

CONFIDENCE = 0.95
# More items than this are not asked about: the width was a mistake.
MOST_ITEMS = 10_000_000
# Of a share that nobody can guess, the one whose interval is widest.
UNKNOWN_SHARE = 0.5


def share_interval(count: int, of: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's interval of a share, which holds near 0 and 1 too."""
    z, share = _score(confidence), count / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    reach = _reach(share, of, z)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def items_for_share(
    width: float, *, share: float = UNKNOWN_SHARE, confidence: float = CONFIDENCE
) -> int | None:
    """Return the fewest items for Wilson's interval of a share to be so narrow; None beyond all bounds.

    `width` is from end to end: 0.1 for ten points of a hundred.
    """
    z = _score(confidence)
    low, high = 1, MOST_ITEMS
    if width <= 0 or 2 * _reach(share, high, z) > width:
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if 2 * _reach(share, middle, z) <= width else (middle + 1, high)
    return low


def items_for_mean(width: float, *, spread: float, confidence: float = CONFIDENCE) -> int | None:
    """Return the fewest items for the interval of a mean; `spread` is the items' standard deviation."""
    if width <= 0:
        return None
    needed = max(2, ceil((2 * _score(confidence) * spread / width) ** 2))
    return needed if needed <= MOST_ITEMS else None


def items_for_scores(width: float, scores: Sequence[float]) -> int | None:
    """Return the same from the scores of a pilot's items, or None with fewer than two."""
    return items_for_mean(width, spread=stdev(scores)) if len(scores) > 1 else None


def items_for_alpha(width: float, labels: Labels, *, seed: int = 0) -> int | None:
    """Return how many items like these make alpha's interval over items so narrow, or None if it has none.

    The labels are a pilot's, or those of a simulated crowd; as many answers are asked of each item.
    """
    interval = alpha_of(labels, seed=seed).by_items
    compared = int((labels.votes.answered > 1).sum())
    if interval is None or width <= 0:
        return None
    needed = max(2, ceil(compared * ((interval[1] - interval[0]) / width) ** 2))
    return needed if needed <= MOST_ITEMS else None


def _reach(share: float, of: int, z: float) -> float:
    return z / (1 + z**2 / of) * sqrt(share * (1 - share) / of + z**2 / (4 * of**2))


def _score(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)

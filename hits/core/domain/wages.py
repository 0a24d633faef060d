"""Hourly pay of work."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import accumulate

from hits.core.domain.money import round_to_cents

HOUR_S = 3600


def hourly_wage(*, reward: Decimal, seconds: float) -> Decimal | None:
    """Return what an hour pays, or None if no time is known."""
    return round_to_cents(reward * HOUR_S / Decimal(str(seconds))) if seconds > 0 else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return a percentile, interpolated between the two nearest values, or None if there are no values."""
    if not values:
        return None
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def percentile_of_counts(counts: Mapping[int, int], share: float) -> float | None:
    """Return the percentile of values that each occur so often, without writing them all out."""
    ranked = sorted(value for value, n in counts.items() if n)
    if not ranked:
        return None
    until = list(accumulate(counts[value] for value in ranked))
    place = share * (until[-1] - 1)
    below = int(place)
    low, high = (ranked[bisect_right(until, at)] for at in (below, min(below + 1, until[-1] - 1)))
    return low + (place - below) * (high - low)


def cents(amount: Decimal) -> int:
    return int(round_to_cents(amount) * 100)


def lacking(*, earned: Decimal, seconds: int, floor: Decimal) -> Decimal:
    """Amount that lifts this work to the floor, in whole cents, rounded up; zero if it is there already."""
    wanted = -(-cents(floor) * seconds // HOUR_S)
    return Decimal(max(0, wanted - cents(earned))) / 100

"""Hourly pay of work."""

from collections.abc import Sequence
from decimal import Decimal

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


def cents(amount: Decimal) -> int:
    return int(round_to_cents(amount) * 100)


def lacking(*, earned: Decimal, seconds: int, floor: Decimal) -> Decimal:
    """Amount that lifts this work to the floor, in whole cents, rounded up; zero if it is there already."""
    wanted = -(-cents(floor) * seconds // HOUR_S)
    return Decimal(max(0, wanted - cents(earned))) / 100

"""Means, deviations and chances. Exact inside: integers and fractions, rounded where a person reads them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb

# Few and many candidates: the paper looks at each pair together.
GROUPS: Mapping[str, tuple[int, ...]] = {"5 & 6": (5, 6), "10 & 12": (10, 12)}
ALL = "all"
# The name of the SWOW baseline beside these groups.
BASELINE = "SWOW"
# The random expectation by the number of candidates, as the paper prints it, in per cent.
PRINTED_RANDOM: Mapping[int, int] = {5: 38, 6: 34, 10: 24, 12: 17}
DIGITS = 40


@dataclass(slots=True)
class Mean:
    """A mean of shares that grows by one at a time, and stays exact: sums are kept by denominator."""

    count: int = 0
    sums: Counter[int] = field(default_factory=Counter)

    def add(self, numerator: int, denominator: int) -> None:
        self.count += 1
        self.sums[denominator] += numerator

    def merge(self, other: "Mean") -> None:
        self.count += other.count
        self.sums.update(other.sums)

    @property
    def value(self) -> Fraction | None:
        total = sum((Fraction(top, bottom) for bottom, top in self.sums.items()), Fraction(0))
        return total / self.count if self.count else None


@dataclass(slots=True)
class Spread:
    """A mean of shares with its standard deviation. Few shares are different, so they are counted."""

    shares: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, numerator: int, denominator: int) -> None:
        self.shares[numerator, denominator] += 1

    @property
    def count(self) -> int:
        return self.shares.total()

    @property
    def mean(self) -> Fraction | None:
        values = self._values()
        return _sum(values) / self.count if values else None

    @property
    def deviation(self) -> Decimal | None:
        """Standard deviation of all of them as a population, not of a sample."""
        values = self._values()
        return root(variance(values)) if values else None

    def _values(self) -> Counter[Fraction]:
        found: Counter[Fraction] = Counter()
        for (numerator, denominator), times in self.shares.items():
            found[Fraction(numerator, denominator)] += times
        return found


def variance(values: Mapping[Fraction, int]) -> Fraction:
    """Variance of a population, given by each value and how often it is there."""
    count = sum(values.values())
    mean = _sum(values) / count
    return sum(((value - mean) ** 2 * times for value, times in values.items()), Fraction(0)) / count


def deviation(values: Iterable[Fraction]) -> Decimal:
    """The standard deviation of these values as a population, to far more digits than anybody reads."""
    return root(variance(Counter(values)))


def root(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()


@cache
def random_expectation(candidates: int, chosen: int) -> Fraction:
    """Mean Jaccard index of picking blindly as many pictures as were chosen."""
    ways = comb(candidates, chosen)
    return sum(
        (
            Fraction(comb(chosen, right) * comb(candidates - chosen, chosen - right), ways)
            * Fraction(right, 2 * chosen - right)
            for right in range(chosen + 1)
        ),
        Fraction(0),
    )


def per_cent(value: Fraction | Decimal | None, *, digits: int = 1) -> Decimal | None:
    """Share in percent for people to read, with halves rounded up."""
    if value is None:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        exact = (
            Decimal(value.numerator) / Decimal(value.denominator) if isinstance(value, Fraction) else value
        )
        return (100 * exact).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def is_in(size: int, group: str) -> bool:
    """True if the size is in the group; sizes unknown to the game, as in a recording, are only in “all”."""
    return group == ALL or size in GROUPS[group]


def _sum(values: Mapping[Fraction, int]) -> Fraction:
    return sum((value * times for value, times in values.items()), Fraction(0))

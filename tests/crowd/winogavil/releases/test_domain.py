from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winogavil.releases.domain import (
    ALL,
    PRINTED_RANDOM,
    Mean,
    Spread,
    deviation,
    is_in,
    per_cent,
    random_expectation,
)
from scoring.domain import jaccard

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("candidates", "chosen"), [(5, 2), (5, 3), (6, 4), (10, 2), (12, 3)])
def test_random_expectation_is_the_mean_over_all_ways_to_pick(candidates: int, chosen: int) -> None:
    right = {str(n) for n in range(chosen)}
    ways = [{str(n) for n in some} for some in combinations(range(candidates), chosen)]

    expected = sum((jaccard(right, way) for way in ways), Fraction(0)) / len(ways)

    assert random_expectation(candidates, chosen) == expected


@pytest.mark.parametrize(("candidates", "most"), [(5, 3), (10, 5), (12, 4)])
def test_printed_expectations_are_those_of_every_number_chosen_alike(candidates: int, most: int) -> None:
    """The paper does not say how it counts; no such rule gives its figure for 6 candidates."""
    ks = range(2, most + 1)
    mean = sum((random_expectation(candidates, k) for k in ks), Fraction(0)) / len(ks)

    assert per_cent(mean, digits=0) == PRINTED_RANDOM[candidates]


def test_deviation_is_that_of_a_population() -> None:
    assert deviation([Fraction(1), Fraction(1), Fraction(1)]) == 0
    assert deviation([Fraction(1), Fraction(0)]) == Decimal("0.5")
    assert f"{deviation([Fraction(1), Fraction(1), Fraction(1, 3)]):.6f}" == "0.314270"


@given(st.lists(st.fractions(0, 1, max_denominator=12), min_size=1, max_size=30))
def test_means_and_spreads_are_exact_in_whatever_order_they_grow(values: list[Fraction]) -> None:
    mean, spread = Mean(), Spread()
    for value in values:
        mean.add(value.numerator, value.denominator)
        spread.add(2 * value.numerator, 2 * value.denominator)

    exact = sum(values, Fraction(0)) / len(values)
    assert mean.value == spread.mean == exact
    assert spread.deviation == deviation(reversed(values))


def test_nothing_has_no_mean() -> None:
    assert Mean().value is None
    assert Spread().mean is None
    assert Spread().deviation is None
    assert per_cent(None) is None


def test_per_cent_rounds_halves_up() -> None:
    assert per_cent(Fraction(1, 3)) == Decimal("33.3")
    assert per_cent(Fraction(1, 8), digits=0) == 13
    assert per_cent(Fraction(1, 800)) == Decimal("0.1")
    assert per_cent(Fraction(19995, 100000), digits=2) == Decimal("20.00")


def test_sizes_of_no_group_are_counted_under_all_alone() -> None:
    assert [size for size in (5, 6, 7, 10, 12) if is_in(size, "5 & 6")] == [5, 6]
    assert [size for size in (5, 6, 7, 10, 12) if is_in(size, "10 & 12")] == [10, 12]
    assert is_in(7, ALL)


def test_merged_means_are_the_mean_of_everything() -> None:
    one, other = Mean(), Mean()
    one.add(1, 2)
    other.add(1, 3)
    other.add(1, 2)

    one.merge(other)

    assert (one.count, one.value) == (3, Fraction(4, 9))

"""Pearson's r and its probability by chance, against earlier results and closed formulas."""

from math import atan, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.datasets.correlations import Correlation, chance_of, correlate, correlate_counted

pytestmark = pytest.mark.pure


def chance(*, squared: float, of: int) -> float:
    return chance_of(Correlation(r=sqrt(squared), squared=squared, of=of))


@pytest.mark.parametrize(
    ("squared", "of", "before"),
    [
        (0.75, 3, 0.33333333333333304),
        (0.25, 4, 0.5000000000000002),
        (0.75, 5, 0.05766888562243736),
        (0.1, 12, 0.3166429150200123),
        (0.04, 40, 0.2159578927209046),
        (0.0009, 100, 0.7670048397881896),
        (0.02, 171, 0.06503110623453043),
        (0.191269945454, 400, 4.0676112255376356e-20),
        (0.0, 400, 1.0),
        (1.0, 400, 0.0),
        (0.0004, 5000, 0.15736149514965625),
    ],
)
def test_chance_is_what_our_own_continued_fraction_said(squared: float, of: int, before: float) -> None:
    assert chance(squared=squared, of=of) == pytest.approx(before, rel=1e-10, abs=0)


@pytest.mark.parametrize("squared", [1e-6, 0.1, 0.5, 0.75, 0.999999])
def test_chance_of_one_and_of_three_degrees_of_freedom(squared: float) -> None:
    """Student's distribution has closed forms for one and three degrees of freedom."""
    one, three = sqrt(squared / (1 - squared)), sqrt(3 * squared / (1 - squared))
    angle = atan(three / sqrt(3)) + three / sqrt(3) / (1 + three**2 / 3)

    assert chance(squared=squared, of=3) == pytest.approx(1 - 2 / pi * atan(one), abs=1e-12)
    assert chance(squared=squared, of=5) == pytest.approx(1 - 2 / pi * angle, abs=1e-12)


@given(st.lists(st.tuples(st.integers(2, 30), st.booleans()), min_size=4, max_size=4))
def test_chance_of_four_is_one_minus_r(pairs: list[tuple[int, bool]]) -> None:
    found = correlate((x, int(y)) for x, y in pairs)

    if found is not None:
        assert chance_of(found) == pytest.approx(1 - abs(found.r), abs=1e-9)


def test_correlation_of_five_by_hand() -> None:
    found = correlate(enumerate([0, 0, 1, 1, 1], start=1))

    # r = 3 / sqrt(10 · 1.2).
    assert found is not None
    assert found.r == pytest.approx(sqrt(0.75), abs=1e-12)
    assert (found.squared, found.of) == (0.75, 5)


@pytest.mark.parametrize(
    ("ys", "r"),
    [
        ([0, 1, 1], sqrt(3) / 2),
        ([1, 0, 0], -sqrt(3) / 2),
        ([0, 1, 0], 0.0),
        ([0, 2, 4], 1.0),
        ([4, 2, 0], -1.0),
    ],
)
def test_correlation_of_three(ys: list[int], r: float) -> None:
    found = correlate(enumerate(ys))

    assert found is not None
    assert (found.r, found.squared) == pytest.approx((r, r * r), abs=1e-12)


@pytest.mark.parametrize(
    ("xs", "ys"),
    [([], []), ([1, 2], [0, 1]), ([4, 4, 4], [0, 1, 1]), ([1, 2, 3], [1, 1, 1])],
    ids=["none", "two", "equal lengths", "all right"],
)
def test_correlation_is_unknown_where_nothing_varies(xs: list[int], ys: list[int]) -> None:
    assert correlate(zip(xs, ys, strict=True)) is None


def test_correlation_of_many_against_known_values() -> None:
    # Lengths 1 to 400, right for every multiple of three and above 300; the value is scipy.stats.pearsonr's.
    xs = list(range(1, 401))

    found = correlate((x, int(x % 3 == 0 or x > 300)) for x in xs)

    assert found is not None
    assert found.r == pytest.approx(0.4373441956138883, rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 4)), max_size=9))
def test_counted_pairs_give_what_the_repeated_ones_give(counted: list[tuple[int, int, int]]) -> None:
    repeated = [(x, y) for x, y, times in counted for _ in range(times)]

    assert correlate_counted(((x, y), times) for x, y, times in counted) == correlate(repeated)

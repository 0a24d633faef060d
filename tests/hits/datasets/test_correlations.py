"""Probability of a correlation by chance, against earlier results and closed formulas."""

from math import atan, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.datasets.correlations import Correlation, chance_of, correlate

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
    found = correlate([x for x, _ in pairs], [int(y) for _, y in pairs])

    if found is not None:
        assert chance_of(found) == pytest.approx(1 - abs(found.r), abs=1e-9)

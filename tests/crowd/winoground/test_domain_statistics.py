"""Intervals, against values worked out by hand and closed formulas."""

from fractions import Fraction
from math import atan, pi, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoground.domain.statistics import interval_of, share_of
from scoring.score_statistics import T_OF_GROUPS

pytestmark = pytest.mark.pure


def dealt(*rights: int, each: int) -> list[bool]:
    """Answers of four groups with so many right in each, in the order in which they are dealt."""
    groups = [[number < right for number in range(each)] for right in rights]
    return [groups[at][row] for row in range(each) for at in range(4)]


def test_interval_by_hand() -> None:
    found = interval_of(dealt(8, 7, 9, 8, each=10))

    # Means .8 .7 .9 .8 around .8: t times the root of (0 + .01 + .01 + 0) / 3 / 4.
    away = 3.182446 * sqrt(0.02 / 3 / 4)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.8 - away, 0.8 + away), abs=1e-7)
    assert (found.low, found.high) == pytest.approx((0.6700772, 0.9299228), abs=1e-7)


def test_interval_has_t_with_three_degrees_of_freedom() -> None:
    def outside(t: float) -> float:
        """Probability beyond t on both sides: the closed form for three degrees of freedom."""
        angle = atan(t / sqrt(3))
        return 1 - 2 / pi * (angle + t / sqrt(3) / (1 + t * t / 3))

    assert outside(T_OF_GROUPS) == pytest.approx(0.05, abs=1e-12)


def test_interval_of_equal_groups_is_a_point() -> None:
    found = interval_of(dealt(3, 3, 3, 3, each=4))

    assert found is not None
    assert (found.low, found.high) == (0.75, 0.75)


def test_interval_ends_at_none_and_all() -> None:
    found = interval_of(dealt(2, 1, 0, 2, each=2))

    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_fewer_than_four_examples_have_no_interval(count: int) -> None:
    assert interval_of([True] * count) is None


def test_groups_are_as_even_as_can_be() -> None:
    # Six dealt in turn: two, two, one and one. Means 1, 0, 1, 0.
    found = interval_of([True, False, True, False, True, False])

    # The middle is .5; the deviation is .5 four times, over 3.
    away = T_OF_GROUPS * sqrt(4 * 0.25 / 3 / 4)
    assert away > 0.5
    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


def test_uneven_groups_weigh_the_same() -> None:
    # Nine dealt in turn: three, two, two and two. In the first group two are wrong.
    rights = [True] * 9
    rights[4] = rights[8] = False

    found = interval_of(rights)

    middle = (1 / 3 + 1 + 1 + 1) / 4
    variance = ((middle - 1 / 3) ** 2 + 3 * (1 - middle) ** 2) / 3
    assert found is not None
    assert found.low == pytest.approx(middle - T_OF_GROUPS * sqrt(variance / 4))
    assert share_of(rights).value == Fraction(7, 9)


@given(st.lists(st.booleans(), min_size=4, max_size=80))
def test_interval_lies_within_none_and_all_around_the_groups(rights: list[bool]) -> None:
    found = interval_of(rights)

    groups = [rights[start::4] for start in range(4)]
    middle = sum(sum(group) / len(group) for group in groups) / 4
    assert found is not None
    assert 0 <= found.low <= middle + 1e-9
    assert middle - 1e-9 <= found.high <= 1


def test_share_of_nothing_is_unknown() -> None:
    found = share_of([])

    assert (found.right, found.of, found.value, found.interval) == (0, 0, None, None)

"""The items that are said to be needed give intervals of the width asked for, and no fewer items do."""

from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.needed_items import (
    MOST_SPREAD,
    alpha_width,
    cautious_share,
    cautious_spread,
    items_for_alpha,
    items_for_mean,
    items_for_share,
    mean_width,
    share_interval,
)
from tests.scoring.quality.odd_people import make_crowd

pytestmark = pytest.mark.pure


def width_of(share: float, items: int) -> float:
    """The width of Wilson's interval, by the formula in other words: both roots of a square equation."""
    z2 = 1.959963984540054**2
    a, b, c = 1 + z2 / items, -(2 * share + z2 / items), share**2
    return float((b**2 - 4 * a * c) ** 0.5 / a)


@given(st.floats(0, 1), st.floats(0.01, 0.6))
def test_the_fewest_items_are_enough_and_one_fewer_is_not(share: float, width: float) -> None:
    needed = items_for_share(width, share=share)

    assert needed
    assert width_of(share, needed) <= width + 1e-9
    assert needed == 1 or width_of(share, needed - 1) > width - 1e-9


def test_known_figures_of_shares() -> None:
    # 81 of 263 is an example of Newcombe (1998): 0.2553 to 0.3662.
    assert list(share_interval(81, 263)) == pytest.approx([0.2553, 0.3662], abs=5e-5)
    assert share_interval(0, 20)[0] == 0
    assert share_interval(20, 20)[1] == pytest.approx(1)
    assert items_for_share(0.1) == 381
    assert items_for_share(0.1, share=0.9) == 141


def test_intervals_of_shares_cover_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    needed = items_for_share(0.12, share=0.8)
    assert needed

    found = [share_interval(int(random.binomial(needed, 0.8)), needed) for _ in range(2000)]

    assert mean(low <= 0.8 <= high for low, high in found) == pytest.approx(0.95, abs=0.015)
    assert mean(high - low for low, high in found) == pytest.approx(0.12, abs=0.003)


def test_means_need_items_by_the_square_of_their_spread() -> None:
    random = np.random.default_rng(2)
    needed = items_for_mean(0.05, spread=0.2)
    assert needed == 246

    reach = [1.96 * random.normal(0.7, 0.2, needed).std(ddof=1) / needed**0.5 for _ in range(500)]

    assert 2 * mean(reach) == pytest.approx(0.05, abs=0.001)
    # (2 * 2.5758293 * 0.2 / 0.05)**2 = 424.6
    assert items_for_mean(0.05, spread=0.2, confidence=0.99) == 425
    assert mean_width(425, spread=0.2, confidence=0.99) <= 0.05 < mean_width(424, spread=0.2, confidence=0.99)


def test_a_pilot_says_how_many_items_alpha_needs() -> None:
    pilot = alpha_of(make_crowd(odd={}, items=150, seed=1).labels).by_items
    assert pilot
    needed = items_for_alpha(0.1, interval=pilot, of=150)
    assert needed

    widths = []
    for seed in range(4):
        interval = alpha_of(make_crowd(odd={}, items=needed, seed=10 + seed).labels).by_items
        assert interval
        widths.append(interval[1] - interval[0])

    assert 300 < needed < 2000
    assert mean(widths) == pytest.approx(0.1, rel=0.15)


def test_the_width_of_alpha_is_that_of_its_pilot_with_as_many_items() -> None:
    interval = (0.2, 0.6)

    assert alpha_width(50, interval=interval, of=50) == pytest.approx(0.4)
    assert items_for_alpha(0.2, interval=interval, of=50) == 200
    # 200 * (1.6448536 / 1.9599640)**2 = 140.9
    assert items_for_alpha(0.2, interval=interval, of=50, confidence=0.9) == 141


def test_a_pilot_of_few_items_is_planned_with_on_the_safe_side() -> None:
    # The tables have 5.380 for a fifth with 9 degrees of freedom, and 87.945 with 100.
    assert cautious_spread(0.2, 10) == pytest.approx(0.2 * (9 / 5.380) ** 0.5, rel=0.005)
    assert cautious_spread(0.2, 101) == pytest.approx(0.2 * (100 / 87.945) ** 0.5, rel=0.005)
    assert cautious_spread(0.4, 3) == MOST_SPREAD
    assert cautious_spread(0, 40) == cautious_spread(0.1, 1) == MOST_SPREAD
    # By hand, with z = 0.8416: (0.9 + z²/20 - z * sqrt(0.009 + z²/400)) / (1 + z²/10)
    assert cautious_share(9, 10) == pytest.approx(0.7920, abs=5e-5)
    assert cautious_share(1, 10) == pytest.approx(1 - cautious_share(9, 10))
    assert cautious_share(6, 10) == 0.5


def test_what_a_pilot_makes_one_plan_with_is_enough_in_four_of_five_cases() -> None:
    random = np.random.default_rng(3)

    spreads = [cautious_spread(float(random.normal(0.6, 0.15, 12).std(ddof=1)), 12) for _ in range(4000)]
    shares = [cautious_share(int(random.binomial(30, 0.85)), 30) for _ in range(4000)]

    assert mean(spread >= 0.15 for spread in spreads) == pytest.approx(0.8, abs=0.02)
    assert mean(share <= 0.85 for share in shares) >= 0.78


def test_what_cannot_be_had_is_none() -> None:
    assert items_for_share(0) is None
    assert items_for_share(1e-6) is None
    assert items_for_mean(0, spread=1) is None
    assert items_for_mean(1e-9, spread=1) is None
    assert items_for_alpha(0, interval=(0.1, 0.2), of=20) is None

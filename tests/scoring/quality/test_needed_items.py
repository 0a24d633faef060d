"""The items that are said to be needed give intervals of the width asked for, and no fewer items do."""

from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.needed_items import (
    items_for_alpha,
    items_for_mean,
    items_for_scores,
    items_for_share,
    share_interval,
)
from tests.scoring.quality.odd_people import make_crowd
from tests.scoring.quality.small_crowds import labels_of

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
    assert items_for_scores(0.05, [0.5, 0.9, 0.7, 0.7]) == items_for_mean(0.05, spread=0.163299316)
    assert items_for_scores(0.05, [0.5]) is None


def test_a_pilot_says_how_many_items_alpha_needs() -> None:
    needed = items_for_alpha(0.1, make_crowd(odd={}, items=150, seed=1).labels)
    assert needed

    widths = []
    for seed in range(4):
        interval = alpha_of(make_crowd(odd={}, items=needed, seed=10 + seed).labels).by_items
        assert interval
        widths.append(interval[1] - interval[0])

    assert 300 < needed < 2000
    assert mean(widths) == pytest.approx(0.1, rel=0.15)


def test_what_cannot_be_had_is_none() -> None:
    alone = labels_of(("i", "a", "x"), ("j", "b", "y"))

    assert items_for_share(0) is None
    assert items_for_share(1e-6) is None
    assert items_for_mean(0, spread=1) is None
    assert items_for_mean(1e-9, spread=1) is None
    assert items_for_alpha(0.1, alone) is None

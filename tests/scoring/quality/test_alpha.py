"""Alpha against its other implementations, and its intervals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.agreement import Level, equal_pairs
from crowd.plain.domain.agreement import alpha_of as exact_alpha
from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.judged_labels import Label, Labels, make_labels
from scoring.quality.majority_votes import percent_agreement
from tests.scoring.quality.simulated_crowds import simulate

pytestmark = pytest.mark.pure
UNITS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=12)


def labels_of(units: list[Any]) -> Labels:
    return make_labels(
        Label(item, worker, answer) for item, unit in enumerate(units) for worker, answer in enumerate(unit)
    )


@given(UNITS)
def test_alpha_and_percent_equal_the_exact_ones(units: list[list[str]]) -> None:
    labels = labels_of(units)

    expected, shares = exact_alpha(units, level=Level.NOMINAL), equal_pairs(units)

    assert alpha_of(labels, times=0).value == (None if expected is None else pytest.approx(float(expected)))
    assert percent_agreement(labels) == (None if shares is None else pytest.approx(float(shares)))


def test_intervals_hold_the_figure_and_are_the_same_each_time() -> None:
    labels = simulate(items=300).labels

    first, second = alpha_of(labels), alpha_of(labels)

    assert first == second
    for interval in (first.by_items, first.by_workers):
        assert first.value
        assert interval
        assert interval[0] < first.value < interval[1]


def test_people_who_always_disagree_are_below_chance() -> None:
    labels = labels_of(["ab", "ab"])

    assert alpha_of(labels, times=0).value == pytest.approx(-0.5)

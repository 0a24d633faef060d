"""Alpha against its other implementations, and its intervals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.agreement import Level, equal_pairs
from crowd.plain.domain.agreement import alpha_of as exact_alpha
from scoring.quality.alpha_intervals import alpha_of, interval_over_wholes
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


def test_things_of_one_item_are_drawn_together() -> None:
    labels = simulate(items=100).labels
    triple = make_labels(
        Label((labels.items[item], copy), worker, answer)
        for item, worker, answer in zip(labels.item, labels.worker, labels.answer, strict=True)
        for copy in range(3)
    )
    names = {name: place for place, name in enumerate(labels.items)}
    whole = np.array([names[item] for item, _ in triple.items])

    alone, copied = alpha_of(labels).by_items, alpha_of(triple).by_items
    together = interval_over_wholes(triple, whole)

    assert alone
    assert copied
    assert together
    # Two copies of each item tell nothing new, though an interval that takes them for items is narrower.
    assert together[1] - together[0] == pytest.approx(alone[1] - alone[0], rel=0.15)
    assert copied[1] - copied[0] == pytest.approx((alone[1] - alone[0]) / 3**0.5, rel=0.15)


def test_wholes_of_one_thing_are_items() -> None:
    labels = simulate(items=60).labels

    assert interval_over_wholes(labels, np.arange(60), seed=5) == alpha_of(labels, seed=5).by_items
    assert interval_over_wholes(labels_of([["a", "a"]]), np.zeros(1, dtype=int)) is None

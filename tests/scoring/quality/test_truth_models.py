"""The models of truth against figures of crowd-kit 1.4.2, and what they recover of simulated crowds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from scoring.quality.alpha_intervals import alpha_of
from scoring.quality.dawid_skene import dawid_skene, smoothed
from scoring.quality.judged_labels import Label, make_labels
from scoring.quality.majority_votes import NOBODY, TIE, ChangedMajority, changed_without, majorities
from scoring.quality.one_coin import BEGINNING, one_coin
from tests.scoring.quality.simulated_crowds import simulate

pytestmark = pytest.mark.pure
# Both run 100 rounds there and here.
ALL_ROUNDS = -9
THREE = {"items": 200, "workers": 12, "spammers": 3, "each": 4, "answers": 3, "seed": 7}
TWO = {"items": 400, "workers": 20, "spammers": 5, "each": 3, "answers": 2, "seed": 3}


@dataclass(frozen=True, kw_only=True)
class Golden:
    """Figures made by crowd-kit: alpha, and of each model's posteriors the sums by answer and of squares."""

    crowd: Mapping[str, Any]
    alpha: float
    skene: Sequence[float]
    skene_squares: float
    coin: Sequence[float]
    coin_squares: float


CROWD_KIT = [
    Golden(
        crowd=THREE,
        alpha=0.380617179,
        skene=[56.909586, 80.051681, 63.038734],
        skene_squares=194.972079,
        coin=[55.600358, 80.819903, 63.579739],
        coin_squares=188.692699,
    ),
    Golden(
        crowd=TWO,
        alpha=0.261294261,
        skene=[200.143157, 199.856843],
        skene_squares=358.973893,
        coin=[198.774468, 201.225532],
        coin_squares=356.541416,
    ),
]


@pytest.mark.parametrize("golden", CROWD_KIT)
def test_figures_equal_those_of_crowd_kit(golden: Golden) -> None:
    labels = simulate(**golden.crowd).labels

    ours, coin = dawid_skene(labels, tolerance=ALL_ROUNDS), one_coin(labels, tolerance=ALL_ROUNDS)

    assert alpha_of(labels, times=0).value == pytest.approx(golden.alpha, abs=1e-9)
    assert ours.posterior.sum(axis=0) == pytest.approx(golden.skene, abs=1e-5)
    assert (ours.posterior**2).sum() == pytest.approx(golden.skene_squares, abs=1e-5)
    assert coin.posterior.sum(axis=0) == pytest.approx(golden.coin, abs=1e-5)
    assert (coin.posterior**2).sum() == pytest.approx(golden.coin_squares, abs=1e-5)


def test_models_are_nearer_to_the_truth_than_the_majority_where_some_guess() -> None:
    crowd = simulate(items=600, workers=20, spammers=8, each=5, seed=5)

    majority = np.mean(majorities(crowd.labels) == crowd.truth)

    assert np.mean(smoothed(crowd.labels).answer == crowd.truth) > majority
    assert np.mean(one_coin(crowd.labels, **BEGINNING).answer == crowd.truth) > majority


def test_ties_are_ties_and_a_worker_who_decides_is_named() -> None:
    rows = [("one", "w1", "x"), ("one", "w2", "y"), ("two", "w1", "x"), ("two", "w2", "x"),
            ("three", "w1", "x")]  # fmt: skip
    labels = make_labels(Label(*row) for row in rows)
    first = labels.workers.index("w1")

    assert majorities(labels).tolist() == [TIE, 0, 0]
    assert changed_without(labels, first) == [
        ChangedMajority(item=0, now=TIE, without=1),
        ChangedMajority(item=2, now=0, without=NOBODY),
    ]

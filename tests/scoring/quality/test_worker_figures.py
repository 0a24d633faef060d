"""What is counted of each worker, on answers small enough to count by hand and on simulated ones."""

import numpy as np
import pytest

from scoring.quality.answer_times import times_of
from scoring.quality.dawid_skene import smoothed
from scoring.quality.judged_labels import Label, make_labels
from scoring.quality.majority_votes import changed_without, decides
from scoring.quality.peer_agreement import agree_with_others, mean_by_worker
from scoring.quality.surprises import BY_CHANCE, MOST, below_others, of_chance, surprise
from scoring.quality.worker_skill import skill_of
from tests.scoring.quality.odd_people import Way, make_crowd
from tests.scoring.quality.simulated_crowds import simulate
from tests.scoring.quality.small_crowds import labels_of, place_of

pytestmark = pytest.mark.pure


def test_agreement_leaves_the_worker_out() -> None:
    labels = labels_of(("i", "a", "x"), ("i", "b", "x"), ("i", "c", "y"), ("j", "a", "x"))

    found = agree_with_others(labels)

    # “b” and “c” differ, “a” and “c” differ, “a” and “b” agree; nobody else has answered “j”.
    assert found.own.tolist() == pytest.approx([0.5, 0.5, 0.0, np.nan], nan_ok=True)
    assert found.usual.tolist()[:3] == pytest.approx([0.0, 0.0, 1.0])
    assert mean_by_worker(found.own, labels)[1].tolist() == [1, 1, 1]


def test_answers_that_a_majority_hangs_on_are_those_without_which_it_changes() -> None:
    labels = simulate(items=120, workers=12, spammers=3, each=4, answers=3, seed=4).labels

    decided = np.bincount(labels.worker[decides(labels)], minlength=len(labels.workers))

    assert decided.tolist() == [len(changed_without(labels, at)) for at in range(len(labels.workers))]
    assert 0 < decided.sum() < len(labels)


def test_who_always_says_the_frequent_answer_tells_nothing_however_often_it_is_right() -> None:
    crowd = make_crowd(odd={Way.FAVORS_ONE: 1}, honest=20, common=0.9, items=1200, seed=3)
    labels = crowd.labels
    # The last worker says the second answer nearly always: turned around, it is the frequent one.
    turned = labels.answer.copy()
    always = place_of(labels, *crowd.who(Way.FAVORS_ONE))
    turned[labels.worker == always] = 0
    labels = make_labels(
        Label(labels.items[item], labels.workers[worker], int(answer))
        for item, worker, answer in zip(labels.item, labels.worker, turned, strict=True)
    )
    at = place_of(labels, *crowd.who(Way.FAVORS_ONE))

    found = skill_of(labels, smoothed(labels))

    assert found.right[at] > 0.75
    assert found.informed[at] < 0.1
    assert np.nanmedian(found.informed) > 0.3


def test_a_worker_who_has_met_one_truth_has_no_skill_to_speak_of() -> None:
    labels = labels_of(*((f"i{item}", worker, "x") for item in range(9) for worker in "abc"))

    assert np.isnan(skill_of(labels, smoothed(labels)).informed).all()


def test_answers_faster_than_reading_are_counted_where_words_and_time_are_known() -> None:
    # 50 words take six seconds at 500 a minute.
    labels = labels_of(
        ("i", "a", "x", 5.9, None, 50),
        ("j", "a", "x", 6.1, None, 50),
        ("k", "a", "x", None, None, 50),
        ("l", "a", "x", 0.1, None, 0),
    )

    found = times_of(labels)

    assert (found.timed.tolist(), found.readable.tolist(), found.unread.tolist()) == ([3], [2], [1])
    assert found.median.tolist() == [5.9]


def test_times_of_nobody_are_unknown() -> None:
    assert np.isnan(times_of(labels_of(("i", "a", "x"))).median).all()


def test_surprise_is_the_logarithm_of_a_chance() -> None:
    assert of_chance(0.001) == pytest.approx(3)
    assert (of_chance(0), of_chance(1)) == (MOST, 0)
    assert surprise(0) == pytest.approx(0.30103, abs=1e-5)
    assert surprise(1.6449) == pytest.approx(1.301, abs=1e-3)
    assert surprise(float("nan")) == 0
    chances = np.random.default_rng(1).uniform(size=20_000)
    assert np.mean([of_chance(float(one)) for one in chances]) == pytest.approx(BY_CHANCE, abs=0.01)


def test_people_who_differ_are_not_odd_for_that_alone() -> None:
    random = np.random.default_rng(2)
    values, errors = random.normal(0.8, 0.1, 200), np.full(200, 0.02)
    values[0] = 0.1

    scores = below_others(values, errors, spread=0.01)

    assert scores[0] > 5
    assert np.abs(scores[1:]).max() < 4
    assert np.isnan(below_others(np.full(3, np.nan), np.ones(3), spread=0.01)).all()

"""Who says the same whatever is asked, and who says what another one says."""

import numpy as np
import pytest

from scoring.quality.alike_workers import alike_pairs, pairs_of_answers
from scoring.quality.answer_habits import habit_of, longest_run, place_habit_of
from tests.scoring.quality.odd_people import Way, make_crowd
from tests.scoring.quality.small_crowds import labels_of, place_of

pytestmark = pytest.mark.pure


def test_the_longest_run_is_of_neighbors() -> None:
    assert longest_run(np.array([0, 1, 1, 1, 0, 0])) == (3, 1)
    assert longest_run(np.array([2])) == (1, 2)


def test_a_habit_is_measured_by_what_others_say_of_the_same_items() -> None:
    same = labels_of(*((f"i{item}", worker, "yes") for item in range(40) for worker in "abc"))
    other = labels_of(
        *(
            (f"i{item}", worker, "yes" if worker == "a" or item % 2 else "no")
            for item in range(40)
            for worker in "abc"
        )
    )

    all_alike, alone = habit_of(same, 0), habit_of(other, 0)

    assert all_alike
    assert alone
    assert (all_alike.share, all_alike.usual) == (1, 1)
    assert all_alike.run_surprise < 0.5
    assert (alone.share, alone.usual, alone.run, alone.evenness) == (1, 0.5, 40, 0)
    assert alone.error == pytest.approx((0.25 / 40) ** 0.5)
    assert alone.run_surprise == 0


def test_a_run_is_odd_beyond_how_often_the_answer_is_said_anyway() -> None:
    mixed = ["yes", "no", "no", "yes", "no", "yes", "yes", "no"] * 5
    steady = [("a", "yes") for _ in range(40)]
    rows = [("a", answer) for answer in mixed] + steady
    labels = labels_of(*((f"i{at}", worker, answer) for at, (worker, answer) in enumerate(rows)))

    found = habit_of(labels, 0)

    assert found
    assert (found.run, found.share) == (40, 0.75)
    assert found.run_surprise > 3


def test_few_answers_and_answers_of_one_person_are_no_habit() -> None:
    few = labels_of(*((f"i{item}", worker, "yes") for item in range(7) for worker in "ab"))
    alone = labels_of(*((f"i{item}", "a", "yes") for item in range(30)))

    assert habit_of(few, 0) is None
    assert (found := habit_of(alone, 0))
    assert np.isnan(found.error)
    assert found.run_surprise == 0


def test_a_favored_place_is_named() -> None:
    crowd = make_crowd(odd={Way.FAVORS_PLACE: 1}, honest=12, items=300, seed=2)
    labels = crowd.labels
    odd = place_of(labels, *crowd.who(Way.FAVORS_PLACE))

    found, usual = place_habit_of(labels, odd), place_habit_of(labels, (odd + 1) % 13)

    assert found
    assert usual
    assert (found.place, found.share > 0.8, found.surprise > 5) == (0, True, True)
    assert usual.surprise < 3
    assert place_habit_of(labels_of(("i", "a", "x")), 0) is None


def test_all_pairs_of_answers_to_one_item_are_compared_once() -> None:
    labels = labels_of(("i", "a", "x"), ("j", "a", "x"), ("i", "b", "x"), ("i", "c", "y"))

    first, second = pairs_of_answers(labels)

    pairs = {frozenset(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)}
    assert pairs == {frozenset(pair) for pair in ((0, 2), (0, 3), (2, 3))}


def test_who_copies_mistakes_is_alike_and_two_who_are_right_are_not() -> None:
    random = np.random.default_rng(1)
    rows = []
    for item in range(200):
        said = {
            name: "right" if random.random() < 0.85 else f"wrong {random.integers(3)}" for name in "abcde"
        }
        said["copier"] = said["a"]
        rows += [(f"i{item}", worker, answer) for worker, answer in said.items()]
    labels = labels_of(*rows)

    first, *others = alike_pairs(labels)

    assert {labels.workers[first.one], labels.workers[first.other]} == {"a", "copier"}
    assert (first.shared, first.same) == (200, 200)
    assert first.surprise > 7
    assert first.usual < 190
    assert max(pair.surprise for pair in others) < 4


def test_two_who_favor_the_same_answer_are_no_pair() -> None:
    crowd = make_crowd(odd={Way.FAVORS_ONE: 4}, honest=8, items=400, each=4, seed=3)
    favoring = [place_of(crowd.labels, worker) for worker in sorted(crowd.who(Way.FAVORS_ONE))]

    found = {(pair.one, pair.other): pair for pair in alike_pairs(crowd.labels)}

    first = (
        found[favoring[0], favoring[2]]
        if (favoring[0], favoring[2]) in found
        else found[favoring[2], favoring[0]]
    )
    assert first.same / first.shared > 0.85
    assert max(pair.surprise for pair in found.values()) < 4


def test_nobody_is_paired_with_few_items_in_common() -> None:
    labels = labels_of(*((f"i{item}", worker, "x") for item in range(7) for worker in "ab"))

    assert alike_pairs(labels) == []

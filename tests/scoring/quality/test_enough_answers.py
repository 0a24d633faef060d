"""Asking again where it is unsure: fewer answers than three of everybody, and no worse."""

from collections import Counter

import numpy as np
import pytest

from scoring.quality.asking_bounds import Enough
from scoring.quality.enough_answers import certainty_of, likeliest_answers, likely_right, unsure_items
from scoring.quality.judged_labels import Label, make_labels
from scoring.quality.one_coin import BEGINNING, one_coin

pytestmark = pytest.mark.pure


class Simulation:
    """Items of known truth, and what each of the workers would say of each, whenever asked."""

    def __init__(self, *, seed: int, items: int = 600, workers: int = 50) -> None:
        random = np.random.default_rng(seed)
        self.truth = random.integers(2, size=items)
        skill = random.beta(17, 3, size=workers)
        skill[: workers // 10] = 0.5  # who guesses
        self.order = np.array([random.permutation(workers) for _ in range(items)])
        is_right = random.random((items, workers)) < skill
        self.said = np.where(is_right, self.truth[:, None], 1 - self.truth[:, None])

    def answer(self, item: int, number: int) -> Label:
        worker = int(self.order[item, number])
        return Label(item, worker, int(self.said[item, worker]))

    def ask(self, enough: Enough) -> list[Label]:
        """Ask as the rule says, until no item needs another answer."""
        rows = [self.answer(item, n) for n in range(enough.fewest) for item in range(len(self.truth))]
        given = Counter(row.item for row in rows)
        while unsure := unsure_items(make_labels(rows), enough):
            rows += [self.answer(item, given[item]) for item in unsure]
            given.update(unsure)
        return rows

    def accuracy(self, rows: list[Label], **beginning: float) -> float:
        labels = make_labels(rows)
        found = one_coin(labels, **(beginning or BEGINNING)).answer
        said = {item: labels.answers[place] for item, place in zip(labels.items, found, strict=True)}
        return float(np.mean([said[item] == true for item, true in enumerate(self.truth)]))


def test_answers_are_saved_and_no_accuracy_is_lost() -> None:
    saved, gained = [], []
    for seed in range(5):
        simulated = Simulation(seed=seed)
        three = simulated.ask(Enough(fewest=3, most=3, sure=0.5))
        adaptive = simulated.ask(Enough(fewest=2, most=5, sure=0.8))
        saved.append(1 - len(adaptive) / len(three))
        gained.append(simulated.accuracy(adaptive) - simulated.accuracy(three))

    assert np.mean(saved) > 0.15
    assert np.mean(gained) >= 0


def test_few_answers_of_each_worker_are_begun_with_well() -> None:
    # Sixty items with two answers each: with fewer right answers before, many are decided upside down.
    usual, fewer, more = [], [], []
    for seed in range(20):
        simulated = Simulation(seed=seed, items=60)
        rows = [simulated.answer(item, number) for number in range(2) for item in range(60)]
        usual.append(simulated.accuracy(rows))
        fewer.append(simulated.accuracy(rows, right=2, wrong=1))
        more.append(simulated.accuracy(rows, right=8, wrong=2))

    assert np.mean(usual) > 0.8
    assert np.mean(usual) > np.mean(fewer) + 0.1
    assert np.mean(usual) == pytest.approx(np.mean(more), abs=0.02)


def test_an_item_is_asked_between_the_fewest_and_the_most() -> None:
    rows = [Label("split", worker, worker % 2) for worker in range(4)]
    rows += [Label(f"agreed on {said}", worker, said) for said in (0, 1) for worker in range(4)]
    rows += [Label("new", 0, 1)]
    labels = make_labels(rows)

    assert unsure_items(labels, Enough(fewest=2, most=5, sure=0.9)) == ["split", "new"]
    assert unsure_items(labels, Enough(fewest=2, most=4, sure=0.9)) == ["new"]
    assert unsure_items(labels, Enough(fewest=1, most=4, sure=0.6)) == []
    assert unsure_items(make_labels([]), Enough(fewest=2, most=5, sure=0.9)) == []


def test_a_worker_who_is_mostly_alone_moves_less() -> None:
    rows = [Label(item, worker, 1) for item in range(20) for worker in ("good", "also good")]
    rows += [Label(item, "alone", 0) for item in range(20)]
    rows += [Label("by good", "good", 1), Label("by alone", "alone", 1)]
    labels = make_labels(rows)
    certainty = dict(zip(labels.items, certainty_of(labels), strict=True))

    assert certainty["by good"] > certainty["by alone"]


def test_the_likeliest_answer_is_that_of_whoever_agrees_with_others() -> None:
    rows = [Label(item, worker, 1) for item in range(20) for worker in ("good", "also good")]
    rows += [Label(item, "alone", 0) for item in range(20)]
    split = [Label("split", "good", 1), Label("split", "alone", 0)]
    alone = [Label("asked of one", "good", 1)]
    labels = make_labels([*rows, *split, *alone])

    answers, right = likely_right(labels)

    assert likeliest_answers(labels) == dict.fromkeys([*range(20), "split", "asked of one"], 1)
    # Two thirds of sixty, and one of the two to what is split; what one alone has said is not compared.
    assert answers == 62
    assert right == pytest.approx(41, abs=0.5)
    assert (likeliest_answers(make_labels([])), likely_right(make_labels([]))) == ({}, (0, 0.0))


@pytest.mark.parametrize(("fewest", "most", "sure"), [(0, 3, 0.9), (3, 2, 0.9), (2, 3, 1.0), (2, 3, 0.4)])
def test_a_rule_that_makes_no_sense_is_refused(fewest: int, most: int, sure: float) -> None:
    with pytest.raises(ValueError, match="fewest <= most"):
        Enough(fewest=fewest, most=most, sure=sure)

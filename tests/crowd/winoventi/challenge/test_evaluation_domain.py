"""A model's accuracy, the likeness of two models, and the training splits, worked out by hand."""

from fractions import Fraction

import pytest

from crowd.winoventi.domain.evaluation import (
    Share,
    accuracy,
    favored,
    intersection,
    is_right,
    jaccard,
    split_full,
    split_half,
)

pytestmark = pytest.mark.pure
# The first pair is favored and half right, the second favored and wrong, the third not favored.
ANSWERS = {
    "a": {"generic": True, "exception": False, "alone": True},
    "b": {"generic": False, "exception": False, "alone": True},
    "c": {"generic": True, "exception": True, "alone": False},
}
OTHER = {
    "a": {"generic": True, "exception": True, "alone": True},
    "b": {"generic": True, "exception": False, "alone": False},
    "c": {"generic": False, "exception": True, "alone": True},
}
PAIRS = [f"{number:03}" for number in range(1, 12)]


@pytest.mark.parametrize(
    ("target", "incorrect", "right"), [(0.2, 0.1, True), (0.1, 0.2, False), (0.1, 0.1, False)]
)
def test_a_tie_is_wrong(target: float, incorrect: float, right: bool) -> None:
    assert is_right(target=target, incorrect=incorrect) is right


def test_accuracy_counts_each_kind_of_prompt() -> None:
    found = accuracy(ANSWERS, pairs=ANSWERS)

    assert found == {"generic": Share(right=2, all=3), "exception": Share(right=1, all=3)}
    assert found["exception"].value == Fraction(1, 3)


def test_accuracy_counts_what_was_answered() -> None:
    found = accuracy({"a": {"generic": True}}, pairs=["a", "b"])

    assert found == {"generic": Share(right=1, all=1), "exception": Share(right=0, all=0)}
    assert found["exception"].value is None


def test_individual_are_the_pairs_whose_generic_the_model_favors() -> None:
    assert favored(ANSWERS) == {"a", "b"}
    assert accuracy(ANSWERS, pairs=favored(ANSWERS))["generic"] == Share(right=1, all=2)


def test_intersection_is_what_every_model_favors() -> None:
    assert intersection([ANSWERS, OTHER]) == {"a"}
    assert accuracy(OTHER, pairs={"a"})["exception"] == Share(right=1, all=1)
    assert intersection([]) == set()


def test_jaccard_with_and_without_nouns_of_which_nobody_finds_anything() -> None:
    one: dict[int, set[str]] = {1: {"sour", "yellow"}, 2: set(), 3: {"hot"}, 4: {"x"}}
    other: dict[int, set[str]] = {1: {"yellow", "round"}, 2: set(), 3: set(), 5: {"x"}}

    # 1/3, 1 or left out, and 0; the fourth and fifth noun were each read by one model only.
    assert jaccard(one, other, with_empty=True) == Fraction(4, 9)
    assert jaccard(one, other, with_empty=False) == Fraction(1, 6)
    assert jaccard({2: set()}, {2: set()}, with_empty=False) is None


def test_half_trains_on_both_prompts_of_half_of_the_pairs() -> None:
    split = split_half(PAIRS, seed=1)

    trained, unseen = ({pair for pair, _ in prompts} for prompts in (split.train, split.tests["unseen"]))
    assert (len(split.train), len(split.tests["unseen"])) == (10, 12)
    assert trained | unseen == set(PAIRS)
    assert not trained & unseen


def test_full_trains_on_four_fifths_of_the_exceptions() -> None:
    pairs = [str(number) for number in range(2176)]

    split = split_full(pairs, seed=1)

    held_out = split.tests["unseen exceptions"]
    assert {kind for _, kind in (*split.train, *held_out)} == {"exception"}
    assert (len(split.train), len(held_out)) == (1741, 435)
    assert len(split.tests["generics"]) == 2176
    assert len(split.tests["mixed"]) == 870
    assert {pair for pair, _ in split.tests["mixed"]} == {pair for pair, _ in held_out}
    assert not set(split.train) & set(held_out)


@pytest.mark.parametrize("split", [split_half, split_full], ids=["half", "full"])
def test_a_split_follows_from_its_seed(split: object) -> None:
    assert callable(split)

    assert split(PAIRS, seed=7) == split(PAIRS[::-1], seed=7)
    assert split(PAIRS, seed=7) != split(PAIRS, seed=8)


def test_a_split_is_the_same_in_every_version() -> None:
    assert [pair for pair, kind in split_half(PAIRS, seed=1).train if kind == "generic"] == [
        "004",
        "001",
        "007",
        "008",
        "009",
    ]

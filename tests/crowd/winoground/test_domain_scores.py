"""Text, image and group scores of four values, worked out by hand."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoground.domain.caption_scores import CHANCE, Kind, PairScores, Right, count_words
from crowd.winoground.domain.summaries import summarize

pytestmark = pytest.mark.pure
TENTHS = st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))


def four(*tenths: int) -> PairScores:
    return PairScores(*(Fraction(value, 10) for value in tenths))


@pytest.mark.parametrize(
    ("scores", "text", "image"),
    [
        (four(10, 0, 0, 10), True, True),
        (four(6, 5, 5, 6), True, True),
        # C0 is ahead for I0 (6 > 4), C1 for I1 (9 > 8); but C0 likes I1 better (8 > 6).
        (four(6, 8, 4, 9), True, False),
        # I0 is ahead for C0 (6 > 4), I1 for C1 (9 > 8); but I0 likes C1 better (8 > 6).
        (four(6, 4, 8, 9), False, True),
        # One caption scores higher with both images: right for one image only.
        (four(9, 9, 2, 3), False, False),
        # Each caption scores higher with the wrong image.
        (four(0, 10, 10, 0), False, False),
        (four(5, 5, 5, 5), False, False),
    ],
)
def test_scores_by_hand(scores: PairScores, text: bool, image: bool) -> None:
    assert scores.right == Right(text=text, image=image)
    assert scores.right.group == (text and image)


@pytest.mark.parametrize(
    ("scores", "text", "image"),
    [
        (four(7, 2, 7, 9), False, True),  # C0 and C1 tie for I0
        (four(9, 7, 2, 7), False, True),  # C0 and C1 tie for I1
        (four(7, 7, 2, 9), True, False),  # I0 and I1 tie for C0
        (four(9, 2, 7, 7), True, False),  # I0 and I1 tie for C1
    ],
)
def test_tie_is_wrong(scores: PairScores, text: bool, image: bool) -> None:
    assert scores.right == Right(text=text, image=image)


def test_shares_are_compared_exactly() -> None:
    third = Fraction(1, 3)

    assert not PairScores(third, Fraction(0), Fraction(3333, 9999), Fraction(1)).right.text
    assert PairScores(third, Fraction(0), Fraction(3333, 10_000), Fraction(1)).right.text


def test_a_models_floats_tie_only_if_they_are_equal() -> None:
    assert not PairScores(0.3, 0.0, 0.3, 1.0).right.text
    assert PairScores(0.1 + 0.2, 0.0, 0.3, 1.0).right.text


@given(st.tuples(TENTHS, TENTHS, TENTHS, TENTHS))
def test_margin_is_positive_exactly_where_the_group_score_is_right(values: tuple[Fraction, ...]) -> None:
    scores = PairScores(*values)

    assert (scores.margin > 0) == scores.right.group


@given(st.tuples(TENTHS, TENTHS, TENTHS, TENTHS))
def test_scores_depend_on_the_order_only(values: tuple[Fraction, ...]) -> None:
    assert PairScores(*values).right == PairScores(*(3 * value - 100 for value in values)).right


def test_of_all_orders_of_four_as_many_are_right_as_chance_says() -> None:
    rights = [PairScores(*map(Fraction, order)).right for order in permutations(range(4))]

    counts = {kind: sum(right.by(kind) for right in rights) for kind in Kind}
    assert counts == {Kind.TEXT: 6, Kind.IMAGE: 6, Kind.GROUP: 4}
    assert {kind: Fraction(count, 24) for kind, count in counts.items()} == CHANCE


def test_random_scores_come_out_at_chance() -> None:
    random = Random(10)
    count = 40_000

    found = summarize([PairScores(*(random.random() for _ in range(4))).right for _ in range(count)])

    for kind in Kind:
        chance = float(CHANCE[kind])
        error = (chance * (1 - chance) / count) ** 0.5
        assert float(found.by(kind).value or 0) == pytest.approx(chance, abs=4 * error)


def test_summary_counts_each_score() -> None:
    found = summarize([Right(True, True), Right(True, False), Right(False, True), Right(False, False)])

    assert (found.of, found.text.right, found.image.right, found.group.right) == (4, 2, 2, 1)


@pytest.mark.parametrize(
    ("caption", "count"), [("", 0), ("a bird", 2), ("  two   birds — one boat. ", 4), ("it's half-full", 2)]
)
def test_words_are_parted_by_blanks(caption: str, count: int) -> None:
    assert count_words(caption) == count

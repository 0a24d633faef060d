"""The seeded draw of questions, and which answers are certainly wrong. No database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.whoops.judge.domain.negatives import (
    Negative,
    Triple,
    draw_negatives,
    kind_of,
    negatives_wanted,
    plain,
)
from crowd.whoops.judge.domain.seeded_draw import draw

WORDS = st.sampled_from(["yes", "no", "a cat", "The cat.", "dog", "two", "red"])
ASKED = st.sampled_from(["What is it?", "Is it red?", "How many are there?", "Who is there?"])


def triple(key: str, image: str, question: str, answer: str) -> Triple:
    return Triple(key=key, image=image, question=question, answer=answer)


def words(found: list[Negative]) -> list[tuple[str, str]]:
    return [(one.of.key, one.answer_of.answer) for one in found]


def test_draw_is_the_same_for_one_seed_and_does_not_mind_who_else_is_there() -> None:
    keys = [str(number) for number in range(20)]

    first = draw(keys, seed=1)

    assert first == draw(reversed(keys), seed=1)
    assert first != draw(keys, seed=2)
    assert [key for key in first if key != "7"] == draw([key for key in keys if key != "7"], seed=1)


@pytest.mark.parametrize(
    ("positives", "per_cent", "wanted"),
    [(75, 25, 25), (3, 25, 1), (0, 25, 0), (100, 0, 0), (10, 50, 10), (4, 25, 1)],
)
def test_negatives_are_that_share_of_all(positives: int, per_cent: int, wanted: int) -> None:
    assert negatives_wanted(positives, per_cent=per_cent) == wanted


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is there water?", "yes or no"),
        ("How many whales are there?", "how many"),
        ("What color is the bowl?", "what color"),
        ("What is in the bowl?", "what"),
        ("Who drives?", "who"),
        ("", ""),
    ],
)
def test_questions_are_of_a_kind(question: str, kind: str) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("text", "same"), [("The cat.", "cat"), ("A  CAT", "cat"), ("the", "the"), ("!", "!")]
)
def test_answers_are_compared_without_case_signs_and_articles(text: str, same: str) -> None:
    assert plain(text) == same


def test_negative_is_an_answer_of_its_kind_that_is_wrong_for_the_image() -> None:
    triples = [
        triple("a", "1", "What is it?", "a cat"),
        triple("b", "1", "What is there?", "a mat"),
        triple("c", "2", "What is it?", "The cat."),
        triple("d", "3", "What is it?", "Mat"),
        triple("e", "4", "How many are there?", "two"),
    ]

    found = draw_negatives(triples, wanted=5, seed=3)

    # For image 1 both answers are right, and no other image is asked "how many".
    assert sorted(words(found)) == [("c", "a mat"), ("d", "a cat")]


def test_negative_is_drawn_once_for_a_question_and_in_the_order_of_the_lot() -> None:
    triples = [triple(str(n), str(n), "What is it?", f"thing {n}") for n in range(9)]

    first = draw_negatives(triples, wanted=2, seed=5)
    second = draw_negatives(triples, wanted=2, seed=5, taken={one.of.key for one in first})

    assert words(first) == words(draw_negatives(triples, wanted=2, seed=5))
    assert [one.of.key for one in [*first, *second]] == draw([str(n) for n in range(9)], seed=5)[:4]


@given(
    st.lists(st.tuples(st.integers(1, 4), ASKED, WORDS), max_size=12), st.integers(0, 99), st.integers(0, 9)
)
def test_no_negative_is_ever_right(rows: list[tuple[int, str, str]], seed: int, wanted: int) -> None:
    triples = [triple(str(n), str(image), asked, said) for n, (image, asked, said) in enumerate(rows)]

    found = draw_negatives(triples, wanted=wanted, seed=seed)

    assert len(found) <= wanted
    assert len({one.of.key for one in found}) == len(found)
    for one in found:
        assert kind_of(one.of.question) == kind_of(one.answer_of.question)
        right = {plain(other.answer) for other in triples if other.image == one.of.image}
        assert plain(one.answer_of.answer) not in right

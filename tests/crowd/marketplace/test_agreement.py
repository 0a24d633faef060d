"""Results that the two review policies compute."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.agreement import LONGEST, Answer, find_agreement, known_answers, percent

pytestmark = pytest.mark.pure

VALUE = st.sampled_from(["a", "b", "c"])
ANSWER = st.frozensets(VALUE, max_size=2)
QUESTIONS = ["q1", "q2", "q3"]
GIVEN = st.dictionaries(
    st.sampled_from(["w1", "w2", "w3", "w4", "w5"]),
    st.dictionaries(st.sampled_from([*QUESTIONS, "other"]), ANSWER),
)


def one(**answers: str) -> dict[str, Answer]:
    return {question: frozenset([value]) for question, value in answers.items()}


def test_agreement_of_the_documented_example() -> None:
    """Four questions, three workers: two majorities, one unanimous answer, one question without agreement."""
    given_answers = {
        "w1": one(q1="a", q2="x", q3="p", q4="k"),
        "w2": one(q1="a", q2="y", q3="p", q4="l"),
        "w3": one(q1="b", q2="y", q3="p", q4="m"),
    }

    found = find_agreement(questions=["q1", "q2", "q3", "q4"], given=given_answers, threshold=50)

    assert found.question_scores == {"q1": 66, "q2": 66, "q3": 100, "q4": 33}
    assert found.agreed == one(q1="a", q2="y", q3="p")
    assert found.hit_score == 75
    assert found.worker_scores == {"w1": 66, "w2": 100, "w3": 66}


def test_agreement_needs_more_than_the_threshold() -> None:
    halves = {"w1": one(q1="a"), "w2": one(q1="b")}

    assert find_agreement(questions=["q1"], given=halves, threshold=50).agreed == {}
    assert find_agreement(questions=["q1"], given=halves, threshold=49).agreed == one(q1="a")


def test_agreement_counts_no_empty_and_no_very_long_answer() -> None:
    given_answers = {"w1": {"q1": frozenset[str]()}, "w2": one(q1="x" * (LONGEST + 1)), "w3": one(q1="a")}

    found = find_agreement(questions=["q1", "q2"], given=given_answers, threshold=30)

    assert found.question_scores == {"q1": 33}
    assert found.agreed == one(q1="a")


def test_agreement_of_nobody_is_nothing() -> None:
    found = find_agreement(questions=QUESTIONS, given={}, threshold=0)

    assert (found.agreed, found.question_scores, found.hit_score, found.worker_scores) == ({}, {}, 0, {})


@given(GIVEN, st.integers(0, 100))
def test_agreement_scores_are_per_cents_of_what_was_given(
    answers: Mapping[str, Mapping[str, Answer]], threshold: int
) -> None:
    found = find_agreement(questions=QUESTIONS, given=answers, threshold=threshold)

    for question, score in found.question_scores.items():
        most = max(
            sum(other.get(question) == mine[question] for other in answers.values())
            for mine in answers.values()
            if mine.get(question)
        )
        assert score == 100 * most // len(answers)
        assert (question in found.agreed) == (score > threshold)
    assert found.hit_score == 100 * len(found.agreed) // len(QUESTIONS)
    assert set(found.worker_scores) == set(answers)
    assert all(0 <= score <= 100 for score in found.worker_scores.values())


@given(st.dictionaries(st.sampled_from(QUESTIONS), st.frozensets(VALUE, min_size=1)))
def test_agreement_of_equal_workers_is_whole(answers: dict[str, Answer]) -> None:
    found = find_agreement(questions=list(answers), given={"w1": answers, "w2": answers}, threshold=99)

    assert found.agreed == answers
    assert found.hit_score == (100 if answers else 0)
    assert set(found.worker_scores.values()) == {found.hit_score}


def test_known_answers_want_the_exact_selection() -> None:
    key = {
        "q1": frozenset(["a", "b"]),
        "q2": frozenset(["c"]),
        "q3": frozenset(["d"]),
        "q4": frozenset[str](),
    }
    answers = {"q1": frozenset(["b", "a"]), "q2": frozenset(["c", "d"]), "q4": frozenset[str]()}

    assert known_answers(key=key, given=answers) == {"q1": True, "q2": False, "q3": False, "q4": False}


@pytest.mark.parametrize(("part", "whole", "wanted"), [(2, 3, 66), (0, 5, 0), (5, 5, 100), (0, 0, 0)])
def test_percent_is_rounded_down(part: int, whole: int, wanted: int) -> None:
    assert percent(part, whole) == wanted

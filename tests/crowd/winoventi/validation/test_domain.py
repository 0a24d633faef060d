import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoventi.domain.answers import read_exceptions, read_objections
from crowd.winoventi.domain.outcomes import BY_QUESTION, BY_WORKER, QUESTIONS, Question, why_failed

pytestmark = pytest.mark.pure
ONE, TWO, THREE, FOUR = QUESTIONS
OBJECTIONS = st.lists(st.frozensets(st.sampled_from(QUESTIONS)), max_size=5)


@pytest.mark.parametrize(
    ("objections", "by_question", "by_worker"),
    [
        ([set(), set()], [], []),
        ([{ONE}, set()], [], []),
        ([{ONE}, {ONE}], [ONE], [ONE]),
        ([{FOUR}, {ONE}], [], [ONE, FOUR]),
        ([{ONE, TWO}, {TWO, THREE}], [TWO], [ONE, TWO, THREE]),
    ],
)
def test_a_pair_fails_by_two_yes_to_a_question_or_by_two_who_object(
    objections: list[set[Question]], by_question: list[Question], by_worker: list[Question]
) -> None:
    assert why_failed(objections, by=BY_QUESTION, at=2) == by_question
    assert why_failed(objections, by=BY_WORKER, at=2) == by_worker


@given(OBJECTIONS, st.integers(1, 4))
def test_what_fails_by_a_question_fails_by_workers_too(
    objections: list[frozenset[Question]], at: int
) -> None:
    by_question = why_failed(objections, by=BY_QUESTION, at=at)

    assert set(by_question) <= set(why_failed(objections, by=BY_WORKER, at=at))
    assert why_failed(objections[::-1], by=BY_QUESTION, at=at) == by_question


def test_raw_answers_are_read_by_the_columns_of_the_recordings() -> None:
    row = {"makes_sense": "yes", "exception_1": " Inedible ", "exception_2": "n/a", "exception_3": "inedible"}

    assert read_exceptions(row).words == ("inedible",)
    assert read_exceptions({**row, "makes_sense": "no"}).words == ()
    assert read_objections({**dict.fromkeys(QUESTIONS, "no"), ONE: "yes"}) == {ONE}

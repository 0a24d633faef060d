"""A row is answered right if every final answer to it is true."""

import pytest

from crowd.plain.queries.right_rows import majority_answers, percent_right
from scoring.quality.enough_answers import likeliest_answers
from scoring.quality.judged_labels import Label, make_labels
from scoring.queries.judged_answers import JudgedCrowd, JudgedThing

pytestmark = pytest.mark.pure


def crowd_of(**questions: list[Label]) -> JudgedCrowd:
    labels = {name: make_labels(rows) for name, rows in questions.items()}
    return JudgedCrowd(questions=labels, worker_ids={}, work_ids={}, newest=None, attention={})


def said(item: str, *answers: str, about: str = "") -> list[Label]:
    return [Label(JudgedThing(item, about), worker, answer) for worker, answer in enumerate(answers)]


def test_one_wrong_question_or_option_makes_a_row_wrong() -> None:
    crowd = crowd_of(
        natural=[*said("a", "yes", "yes"), *said("b", "yes", "yes"), *said("c", "no", "no")],
        faults=[*said("a", "yes", "yes", about="x"), *said("b", "no", "no", about="x")],
    )
    true = {
        **{("natural", JudgedThing(item, "")): "yes" for item in "abc"},
        **{("faults", JudgedThing(item, "x")): "yes" for item in "ab"},
    }

    # The row a is right, in b the option x is not ticked, and c is not natural.
    assert percent_right(crowd, true, final=majority_answers) == 33.33
    assert percent_right(crowd, true, final=likeliest_answers) == 33.33


def test_a_tie_is_not_right_and_what_is_not_known_does_not_count() -> None:
    crowd = crowd_of(natural=[*said("a", "yes", "no"), *said("b", "yes", "yes"), *said("other", "no", "no")])
    true = {("natural", JudgedThing(item, "")): "yes" for item in "ab"}

    assert percent_right(crowd, true, final=majority_answers) == 50
    assert percent_right(crowd, {}, final=majority_answers) is None

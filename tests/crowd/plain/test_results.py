"""Answers that count, the majority of each row, and how far people agree."""

from datetime import timedelta
from fractions import Fraction

import pytest

from crowd.plain.domain.agreement import Level
from crowd.plain.models import Description, Project
from crowd.plain.queries.results import Agreement, QuestionResult, agreement_of, answered_rows, said_of
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import keep_out
from tests.crowd.plain.making import answer_each, asked_project, open_batch
from tests.factories import NOW

pytestmark = pytest.mark.django_db
YES, NO = {"q1": "1"}, {"q1": "2"}
TEXT = """\
title: T
say: {{ sentence }}
choice: natural
ask: Natural?
- yes
- no
- unsure
choices: faults
ask: Faults?
optional
- a
- b
scale: sure
ask: Sure?
from: 1
to: 5
number: words
ask: Words?
optional
text: why
ask: Why?
optional
"""


def said(project: Project) -> list[dict[str, QuestionResult]]:
    description = Description.objects.get(project=project)
    return [
        {part.name: said_of(part, answered.answers) for part in description.page.questions}
        for answered in answered_rows(description)
    ]


def agreement(project: Project, name: str) -> Agreement:
    description = Description.objects.get(project=project)
    part = next(part for part in description.page.questions if part.name == name)
    return agreement_of(part, [answered.answers for answered in answered_rows(description)])


@pytest.fixture
def project() -> Project:
    """A project with two rows and three people."""
    made = asked_project("A", "B", text=TEXT)
    batch = open_batch(made)
    first = {"q1": "1", "q2": "1 2", "q3": "2", "q4": "1.5", "q5": "Because."}
    second = {"q1": "2", "q3": "4", "q4": "2.5"}
    answer_each(batch, [first, second])
    answer_each(batch, [first, {**second, "q1": "1"}])
    answer_each(batch, [{**second, "q2": "2"}, {**first, "q1": "3"}])
    return made


def test_what_most_have_said_of_each_row(project: Project) -> None:
    first, second = said(project)

    assert first["natural"] == QuestionResult(answers=3, leaders=("yes",), share=Fraction(2, 3))
    assert first["faults"] == QuestionResult(answers=3, leaders=("a", "b"))
    assert first["sure"] == QuestionResult(answers=3, leaders=("2",), share=Fraction(2, 3), mean=8 / 3)
    assert (first["words"].leaders, first["why"]) == (("1.5",), QuestionResult(answers=2))
    assert second["natural"] == QuestionResult(
        answers=3, leaders=("yes", "no", "unsure"), is_tied=True, share=Fraction(1, 3)
    )


def test_agreement_of_each_question_over_all_rows(project: Project) -> None:
    natural, sure, why = (agreement(project, name) for name in ("natural", "sure", "why"))

    assert (natural.answers, natural.compared, natural.tied) == (6, 2, 1)
    assert (natural.equal, natural.level) == (Fraction(2, 12), Level.NOMINAL)
    assert (sure.level, sure.equal, sure.mean) == (Level.ORDINAL, Fraction(4, 12), 3.0)
    assert (why.answers, why.equal, why.alpha, why.mean) == (3, None, None, None)


def test_work_that_was_kept_out_or_rejected_counts_nowhere(project: Project) -> None:
    out, rejected, *_ = Assignment.objects.filter(leases__item__plain_row__number=1).order_by("pk")

    keep_out(out, now=NOW + timedelta(minutes=1))
    Assignment.objects.filter(pk=rejected.pk).update(status="rejected")

    assert said(project)[0]["natural"] == QuestionResult(answers=1, leaders=("no",), share=Fraction(1))


def test_rows_that_nobody_has_answered_say_nothing() -> None:
    project = asked_project("A")

    assert said(project) == [{"natural": QuestionResult(answers=0)}]
    natural = agreement(project, "natural")
    assert (natural.answers, natural.equal, natural.alpha) == (0, None, None)


def test_all_alike_is_full_agreement_and_no_alpha() -> None:
    project = asked_project("A", "B")
    batch = open_batch(project)
    for _ in range(2):
        answer_each(batch, [YES, YES])

    natural = agreement(project, "natural")
    assert (natural.equal, natural.alpha) == (Fraction(1), None)


def test_disagreement_on_every_row_is_worse_than_chance() -> None:
    project = asked_project("A", "B")
    batch = open_batch(project)
    answer_each(batch, [YES, NO])
    answer_each(batch, [NO, YES])

    natural = agreement(project, "natural")
    assert (natural.equal, natural.tied) == (Fraction(0), 2)
    assert natural.alpha == Fraction(-1, 2)

from fractions import Fraction

import pytest

from hits.people.queries.worker_record import Mean, means_of
from hits.work.models.assignments import Assignment
from scoring.models import Score
from scoring.score_readers import read_means
from tests.factories import NOW, make_assignment, make_association, make_user

pytestmark = pytest.mark.django_db


def make_score(assignment: Assignment, *, measure: str, value: Fraction) -> None:
    Score.objects.create(
        assignment=assignment,
        item=make_association().item,
        measure=measure,
        numerator=value.numerator,
        denominator=value.denominator,
        scored_at=NOW,
    )


def test_means_are_told_by_measure_to_the_room_below() -> None:
    assignment = make_assignment()
    for value in (Fraction(1), Fraction(1, 2)):
        make_score(assignment, measure="jaccard", value=value)
    make_score(assignment, measure="exact", value=Fraction(0))
    make_score(make_assignment(), measure="jaccard", value=Fraction(0))
    expected = [
        Mean(measure="exact", value=0, count=1),
        Mean(measure="jaccard", value=0.75, count=2),
    ]

    assert read_means(Assignment.objects.filter(worker=assignment.worker)) == expected
    assert means_of(assignment.worker, make_user(is_superuser=True)) == expected
    assert expected[1].percent == 75

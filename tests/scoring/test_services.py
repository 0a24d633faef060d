from fractions import Fraction

import pytest

from crowd.winogavil.models import Association
from hits.models import Assignment
from hits.services import working
from scoring import services
from scoring.models import Score
from tests.factories import NOW, make_assignment, make_association, make_batch, make_hit, make_study

pytestmark = pytest.mark.django_db


def make_submitted(*, right: int = 2, items: int = 1) -> Assignment:
    """Submitted work on associations of two chosen pictures out of five, `right` of them picked."""
    study = make_study()
    for _ in range(items):
        make_association(study=study, size=5, chosen=2)
    hit = make_hit(batch=make_batch(study=study, status="open", items_per_assignment=items))
    assignment = make_assignment(hit=hit)
    working.lease_items(assignment=assignment, now=NOW)
    answer = {
        str(association.item.public_id): [place.picture.key for place in association.places.all()][
            2 - right : 4 - right
        ]
        for association in Association.objects.filter(item__study=study)
    }
    Assignment.objects.filter(pk=assignment.pk).update(status="submitted", submitted_at=NOW, answer=answer)
    return Assignment.objects.get(pk=assignment.pk)


@pytest.mark.parametrize(("right", "value"), [(2, Fraction(1)), (1, Fraction(1, 3)), (0, Fraction(0))])
def test_judge_records_the_exact_score(right: int, value: Fraction) -> None:
    assignment = make_submitted(right=right)

    judged = services.judge_submitted(now=NOW)

    assert judged == 1
    assert Score.objects.get().value == value
    assert Assignment.objects.get(pk=assignment.pk).judged_at == NOW


def test_judge_twice_records_once() -> None:
    assignment = make_submitted()
    services.judge_assignment(assignment=assignment, now=NOW)

    again = services.judge_assignment(assignment=assignment, now=NOW)

    assert (again, Score.objects.count()) == (False, 1)


def test_judge_leaves_work_whose_answer_was_lost_to_a_person() -> None:
    make_assignment(status="submitted")

    assert services.judge_submitted(now=NOW) == 0
    assert Assignment.objects.get().judged_at is None


def test_means_of_is_the_mean_over_the_items() -> None:
    assignment = make_submitted(items=3)
    services.judge_assignment(assignment=assignment, now=NOW)
    score = Score.objects.order_by("pk")[0]
    Score.objects.filter(pk=score.pk).update(numerator=0, denominator=1)

    assert services.means_of(assignment) == {"jaccard": Fraction(2, 3)}

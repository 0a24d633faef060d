from fractions import Fraction
from typing import Any

import pytest

from crowd.winogavil.models import Association
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services import leasing
from scoring.models import Score
from scoring.score_readers import read_scores
from scoring.services import score_recording as services
from tests.factories import NOW, make_assignment, make_association, make_batch, make_hit, make_study

pytestmark = pytest.mark.django_db


def make_submitted(*, right: int = 2, items: int = 1) -> Assignment:
    """Submit work on associations of two chosen pictures out of five, `right` of them picked."""
    study = make_study()
    for _ in range(items):
        make_association(study=study, size=5, chosen=2)
    hit = make_hit(batch=make_batch(study=study, status="open", items_per_assignment=items))
    assignment = make_assignment(hit=hit)
    leasing.lease_items(assignment=assignment, now=NOW)
    answer = {
        str(association.item.public_id): [
            place.picture.key for place in association.places.all() if place.picture
        ][2 - right : 4 - right]
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


@pytest.mark.parametrize("status", ["submitted", "approved"])
def test_judge_also_judges_what_was_approved_before_its_turn(status: str) -> None:
    assignment = make_submitted()
    Assignment.objects.filter(pk=assignment.pk).update(status=status)

    assert services.judge_submitted(now=NOW) == 1


@pytest.mark.parametrize(
    "changes", [{"status": "rejected"}, {"status": "approved", "kept_out": True}, {"status": "gone"}]
)
def test_judge_leaves_what_is_no_data(changes: dict[str, Any]) -> None:
    assignment = make_submitted()
    Assignment.objects.filter(pk=assignment.pk).update(**changes)

    assert services.judge_submitted(now=NOW) == 0
    assert not Score.objects.exists()


@pytest.mark.parametrize(
    ("changes", "count"),
    [({}, 1), ({"status": "approved"}, 1), ({"status": "rejected"}, 0), ({"kept_out": True}, 0)],
)
def test_scores_of_leaves_out_what_is_kept_out_or_rejected(changes: dict[str, Any], count: int) -> None:
    assignment = make_submitted()
    services.judge_submitted(now=NOW)
    item = Item.objects.get()
    Assignment.objects.filter(pk=assignment.pk).update(**{"status": "submitted", **changes})

    assert len(services.scores_of(item, measure="jaccard")) == count


def test_scores_of_leaves_out_an_answer_whose_place_was_given_to_somebody_else() -> None:
    assignment = make_submitted()
    services.judge_submitted(now=NOW)

    leasing.release_items(assignment, now=NOW)

    assert services.scores_of(Item.objects.get(), measure="jaccard") == []
    assert read_scores([assignment.pk]) == {assignment.pk: [{"jaccard": Fraction(1)}]}


def test_recorded_scores_are_told_item_by_item_in_the_order_of_judging() -> None:
    assignment = make_submitted(items=3)
    services.judge_assignment(assignment=assignment, now=NOW)
    score = Score.objects.order_by("pk")[0]
    Score.objects.filter(pk=score.pk).update(numerator=0, denominator=1)

    assert read_scores([assignment.pk]) == {
        assignment.pk: [{"jaccard": Fraction(value)} for value in (0, 1, 1)]
    }

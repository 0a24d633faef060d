"""Items whose answers changed since they were counted are found, and claimed once."""

import pytest
from django.db import transaction

from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.services.leasing import find_recounts, take_recounts
from tests.factories import make_study

pytestmark = pytest.mark.django_db
TASK = "winogavil.solve"


def make_item(study: Study, **changes: bool) -> Item:
    return Item.objects.create(study=study, task=TASK, wanted=0, **changes)


def test_the_oldest_of_a_study_are_found_and_no_more_than_are_asked_for() -> None:
    study = make_study()
    items = [make_item(study, recount=True) for _ in range(3)]
    make_item(study)
    make_item(make_study(), recount=True)

    assert find_recounts(tasks=[TASK], most=2, study_id=study.pk) == [item.pk for item in items[:2]]
    assert len(find_recounts(tasks=[TASK], most=9)) == 4
    assert find_recounts(tasks=["whoops.annotate"], most=9) == []


def test_what_somebody_else_has_taken_meanwhile_is_not_taken_again() -> None:
    study = make_study()
    first, second = (make_item(study, recount=True) for _ in range(2))
    beside = make_item(study)
    found = find_recounts(tasks=[TASK], most=9)
    Item.objects.filter(pk=first.pk).update(recount=False)

    with transaction.atomic():
        assert take_recounts(found, along=[beside.pk]) == [second.pk]

    assert find_recounts(tasks=[TASK], most=9) == []

"""Workers who may be asked about a pair, and how much of one step one worker may do."""

from typing import Any

import pytest

from crowd.winoventi import domain
from crowd.winoventi.models import Premise
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.eligibility import refuse_entry
from hits.work.services.leasing import items_of
from tests.crowd.winoventi.crowd import EXCEPTIONS, FINE, PREMISE, Crowd
from tests.factories import make_batch, make_hit

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("judges", "of_the_exception", "of_the_premise"),
    [("others", True, False), ("strangers", False, False), ("anybody", True, True)],
)
def test_the_project_says_who_judges(judges: str, of_the_exception: bool, of_the_premise: bool) -> None:
    crowd = Crowd(judges=judges)
    excepting, writing = crowd.worker(), crowd.worker()
    crowd.triplet(excepting)
    crowd.answer(domain.PREMISES, PREMISE, writing)

    given = {worker: bool(items_of(crowd.open(domain.VALIDATE, worker))) for worker in (excepting, writing)}

    assert given == {excepting: of_the_exception, writing: of_the_premise}
    assert items_of(crowd.open(domain.VALIDATE))


def test_human_performance_is_asked_of_nobody_who_has_worked_on_the_pair() -> None:
    crowd = Crowd(answers_wanted=2)
    excepting, writing, judging, returning, choosing = (crowd.worker() for _ in range(5))
    crowd.triplet(excepting)
    crowd.answer(domain.PREMISES, PREMISE, writing)
    crowd.answer(domain.VALIDATE, FINE, judging)
    seen = crowd.open(domain.VALIDATE, returning)
    seen.leases.update(status="released")
    Item.objects.filter(premise__isnull=False).update(wanted=1)
    crowd.answer(domain.VALIDATE, FINE)
    assert Premise.objects.get().state == "valid"
    crowd.answer(domain.CHOOSE, {"choice": "sour"}, choosing)

    for worker in (excepting, writing, judging, returning, choosing):
        assert items_of(crowd.open(domain.CHOOSE, worker)) == []
    assert len(items_of(crowd.open(domain.CHOOSE))) == 1


def test_a_worker_who_has_done_enough_of_a_step_is_told_so_at_the_door() -> None:
    crowd = Crowd()
    crowd.project.steps.filter(kind="exceptions").update(most_per_worker=1)
    crowd.post()
    crowd.post("apple", "edible")
    worker, other = crowd.worker(), crowd.worker()
    hit: Any = make_hit(batch=crowd.batch(domain.EXCEPTIONS))
    refuse_entry(hit=hit, worker=worker, now=hit.sent_at)
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS, worker)

    with pytest.raises(RuleBroken) as refused:
        refuse_entry(hit=hit, worker=worker, now=hit.sent_at)

    assert refused.value.code == "enough"
    assert Assignment.objects.filter(worker=worker).count() == 1
    refuse_entry(hit=hit, worker=other, now=hit.sent_at)
    refuse_entry(hit=make_hit(batch=crowd.batch(domain.PREMISES)), worker=worker, now=hit.sent_at)


def test_a_batch_of_a_study_without_a_project_is_not_launched() -> None:
    crowd = Crowd()

    assert entry_policies.ask(crowd.batch(domain.PREMISES)).obstacles == []
    (words,) = entry_policies.ask(make_batch(task=domain.PREMISES)).obstacles
    assert words.endswith("has no exception procedure yet. Set one up first.")

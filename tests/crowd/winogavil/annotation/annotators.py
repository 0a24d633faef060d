"""Factories of selected associations, and of annotators who use the services that workers' pages call."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.services.annotation_draw import Recipe, draw_annotations, plan_draw
from crowd.winogavil.models import Association, Solution
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, lease_items, save_answer
from tests.factories import NOW, make_assignment, make_association, make_batch, make_hit, make_worker

Answers = Sequence[Sequence[str]]


def make_selected(
    study: Study, *, cue: str = "cold", size: int = 5, chosen: int = 2, **changes: Any
) -> Association:
    """An association that is final and selected, with three solvers who picked the right pictures."""
    association = make_association(study=study, cue=cue, size=size, chosen=chosen)
    values = {"final_at": NOW, "solvers_numerator": 1, "solvers_denominator": 1}
    Association.objects.filter(pk=association.pk).update(**{**values, **changes})
    for _ in range(3):
        Solution.objects.create(
            association=association,
            worker=make_worker(),
            picked=list(range(chosen)),
            numerator=1,
            denominator=1,
        )
    association.refresh_from_db()
    return association


def draw(study: Study, kind: Kind, **changes: Any) -> Draw:
    recipe = Recipe(kind=kind, **changes)
    new = len(plan_draw(study=study, recipe=recipe).new)
    return draw_annotations(study=study, recipe=recipe, seen=new, by=None, now=NOW)


def open_batch(study: Study, kind: Kind, **changes: Any) -> Batch:
    return make_batch(study=study, task=kind.task, status="open", items_per_assignment=10, **changes)


def begin(batch: Batch, *, worker: Worker | None = None) -> tuple[Assignment, list[Item]]:
    """Let a worker, a new one by default, open a HIT of the batch and lease what it offers."""
    worker = worker or make_worker(account=batch.account)
    assignment = make_assignment(hit=make_hit(batch=batch), worker=worker)
    return assignment, lease_items(assignment=assignment, now=NOW)


def hand_in(assignment: Assignment, answer: dict[str, list[str]], *, now: datetime = NOW) -> Assignment:
    """Save the answer and submit the assignment to the provider."""
    assert items_of(assignment)
    save_answer(assignment=assignment, answer=answer, now=now)
    assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=now)
    return assignment


def annotate(batch: Batch, *answers: Sequence[str]) -> list[Assignment]:
    """Let one new worker for each answer give it to every item of a HIT."""
    done = []
    for labels in answers:
        assignment, items = begin(batch)
        done.append(hand_in(assignment, {str(item.public_id): list(labels) for item in items}))
    return done


def solve(batch: Batch, *picks: Sequence[int]) -> list[Assignment]:
    """Let one new worker for each of these picks choose those positions in every association of a HIT."""
    done = []
    for positions in picks:
        assignment, items = begin(batch)
        asked = {row.item_id: row for row in Annotation.objects.filter(item__in=items)}
        answer = {str(item.public_id): _keys(asked[item.pk].association, positions) for item in items}
        done.append(hand_in(assignment, answer))
    return done


def _keys(association: Association, positions: Sequence[int]) -> list[str]:
    places = association.places.filter(position__in=positions).select_related("picture")
    return sorted(place.picture.key for place in places if place.picture)

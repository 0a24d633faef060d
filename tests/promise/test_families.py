"""The checks of the schedules find something: every family reports its answers, and misses a removed one."""

from itertools import product

import pytest

from crowd.plain.domain import ASK
from crowd.whoops.domain import JUDGED
from crowd.winoground.domain import VALIDATE as MATCH
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.promise.agreement import disagreements
from tests.promise.families import ASKS, finding_disagreements, found_by_families
from tests.promise.test_schedules import a_world, act
from tests.promise.world import PEOPLE, Clock, World

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("task", sorted(ASKS))
def test_what_people_answer_is_found_and_what_is_taken_out_is_lost(
    task: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_world(clock, monkeypatch) as world:
        answer_all(world, task)
        assert len(list(found_by_families())) == 1
        assert finding_disagreements() == []

        for number in range(2 * PEOPLE):
            world.review("keep_out", number)
        world.settle()

        assert Assignment.objects.filter(kept_out=True).count() >= 2
        assert finding_disagreements() == []
        assert disagreements(world.account, now=world.now()) == []


# Votes are counted whenever they are read, so nothing can have been missed.
@pytest.mark.parametrize("task", sorted({*ASKS} - {*JUDGED, MATCH, ASK}))
def test_an_answer_that_is_taken_out_behind_the_backs_of_the_sweeps_is_caught(
    task: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_world(clock, monkeypatch) as world:
        answer_all(world, task)

        Assignment.objects.update(kept_out=True)

        assert finding_disagreements() != []


def test_a_lease_of_work_that_is_gone_is_caught(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_world(clock, monkeypatch) as world:
        world.launch(hits=1, workers=1, pilot=0)
        world.sweep("hits.launch_batches")
        world.accept(0, 0)
        world.open_page(0)
        assert Lease.objects.get().status == Lease.Status.LEASED

        Assignment.objects.update(status=Assignment.Status.GONE)

        said = disagreements(world.account, now=world.now())
        assert f"item {Item.objects.get().pk} is leased to work that is gone" in said


def answer_all(world: World, task: str) -> None:
    world.launch(hits=2, workers=PEOPLE, pilot=0, task=task)
    world.sweep("hits.launch_batches")
    for person, hit in product(range(PEOPLE), range(2)):
        act(world, "work", [person, hit, None])
    world.deliver("once")
    world.settle()

"""Solving batches grow with the answers needed: within the budget, and never twice for one answer."""

from decimal import Decimal

import pytest

from crowd.winogavil.models import Game
from crowd.winogavil.services.solve_places import grow_solving
from hits.batches.services.top_up import hits_lacking
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from tests.crowd.winogavil.game import SOLVE, make_game_batch
from tests.factories import NOW, make_assignment, make_association, make_study, make_user, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study()
    for _ in range(5):
        make_association(study=study)
    return study


@pytest.fixture
def game(study: Study) -> Game:
    batch = make_game_batch(SOLVE, study=study, launched_by=make_user(is_superuser=True))
    return Game.objects.create(study=study, solve_batch=batch, grows=True)


def batch_of(game: Game) -> Batch:
    assert game.solve_batch is not None
    return Batch.objects.get(pk=game.solve_batch.pk)


def test_grows_by_what_is_wanted_and_then_stands_still(game: Game) -> None:
    grown = [grow_solving(now=NOW) for _ in range(2)]

    assert grown == [5, 0]
    assert batch_of(game).status == Batch.Status.LAUNCHING
    assert HIT.objects.count() == 5


def test_places_that_are_taken_or_over_are_no_places(game: Game) -> None:
    grow_solving(now=NOW)
    Batch.objects.update(status=Batch.Status.OPEN)
    hits = list(HIT.objects.order_by("pk"))
    for hit in hits:
        hit.status, hit.external_id = HIT.Status.OPEN, f"HIT{hit.pk}X"
        hit.save()
    # One place belongs to a worker who was leased an answer; one HIT is over with two answers needed.
    account = batch_of(game).account
    for hit in hits[:2]:
        make_assignment(hit=hit, worker=make_worker(account=account))
    item = Item.objects.order_by("pk")[0]
    item.wanted -= 2
    item.save()
    assert hits_lacking(batch_of(game)) == 0
    HIT.objects.filter(pk=hits[0].pk).update(status=HIT.Status.CLOSED)

    assert hits_lacking(batch_of(game)) == 1
    assert grow_solving(now=NOW) == 1


@pytest.mark.parametrize("status", ["paused", "draining", "cancelled"])
def test_batch_that_a_person_holds_does_not_grow(game: Game, status: str) -> None:
    Batch.objects.update(status=status)

    assert grow_solving(now=NOW) == 0
    assert not HIT.objects.exists()


def test_budget_that_is_too_small_is_said_until_it_is_not(game: Game, study: Study) -> None:
    Study.objects.update(budget=Decimal("0.10"))
    refused = grow_solving(now=NOW)
    problem = Game.objects.get().problem
    Study.objects.update(budget=Decimal(100))

    assert (refused, grow_solving(now=NOW)) == (0, 5)
    assert "budget" in problem
    assert Game.objects.get().problem == ""


def test_what_does_not_grow_waits_for_a_click(game: Game) -> None:
    Game.objects.update(grows=False)

    assert grow_solving(now=NOW) == 0
    assert not HIT.objects.exists()

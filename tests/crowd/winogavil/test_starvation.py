"""Few people are enough: every association is final after as many solves as it needs, and no more."""

from random import Random

import pytest

from crowd.winogavil.domain import CREATE, SOLVE, SOLVERS_WANTED
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.crowd.winogavil.game import make_cues, make_game_batch, solve, sweep
from tests.factories import make_account, make_picture, make_study, make_worker
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def make_people(count: int) -> tuple[Batch, Batch, list[Worker]]:
    """Make people who are all both spymasters and solvers, with a set for each, and both batches."""
    study, account = make_study(), make_account()
    pictures = [make_picture() for _ in range(5)]
    for _ in range(count):
        seed_picture_set(study=study, pictures=pictures)
    create = make_game_batch(CREATE, study=study, account=account)
    solving = make_game_batch(SOLVE, study=study, account=account)
    return create, solving, [make_worker(account=account) for _ in range(count)]


def play_turns(solving: Batch, people: list[Worker], *, chance: Random) -> int:
    """Let people solve in random order until nobody finds anything; return how many turns found something."""
    done, active = 0, list(people)
    while active:
        worker = chance.choice(active)
        if solve(solving, worker):
            done += 1
        else:
            active.remove(worker)
    return done


@pytest.mark.parametrize("count", [4, 5, 7])
@pytest.mark.parametrize("items", [1, 3], ids=["one-an-assignment", "three-an-assignment"])
@pytest.mark.parametrize("seed", range(3))
def test_every_word_is_final_after_the_least_number_of_solves(count: int, items: int, seed: int) -> None:
    create, solving, people = make_people(count)
    Batch.objects.filter(pk=solving.pk).update(items_per_assignment=items)
    solving.refresh_from_db()
    for number, worker in enumerate(people):
        make_cues(create, worker, f"one{chr(97 + number)}", f"two{chr(97 + number)}")
    sweep()

    play_turns(solving, people, chance=Random(seed))
    sweep()

    words = Association.objects.count()
    assert words == 2 * count
    assert Association.objects.filter(final_at=None).count() == 0
    assert Solution.objects.count() == SOLVERS_WANTED * words
    assert Lease.objects.filter(item__task=SOLVE).count() == SOLVERS_WANTED * words
    assert not Item.objects.filter(task=SOLVE, wanted__gt=0).exists()


def test_too_few_people_leave_the_rest_wanted_and_nothing_is_lost() -> None:
    """Each author has two others among three people, so the third answer waits for a new worker."""
    create, solving, people = make_people(3)
    for number, worker in enumerate(people):
        make_cues(create, worker, f"one{chr(97 + number)}")
    sweep()

    turns = play_turns(solving, people, chance=Random(1))
    sweep()
    stuck = (turns, Association.objects.filter(final_at=None).count())
    newcomer = make_worker(account=solving.account)
    more = play_turns(solving, [newcomer], chance=Random(1))
    sweep()

    assert stuck == (6, 3)
    assert more == 3
    assert not Association.objects.filter(final_at=None).exists()
    assert not Assignment.objects.filter(status=Assignment.Status.OPENED).exists()

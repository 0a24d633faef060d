"""What becomes due in the association game by the clock alone, and what idle sweeps cost."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.domain import CREATE, SOLVE
from crowd.winogavil.models import Game
from crowd.winogavil.services import (
    association_creation,
    association_verdicts,
    final_associations,
    solve_places,
    withdrawal,
)
from crowd.winogavil.services.association_creation import PATIENCE, credit_authors, next_credit
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import RivalQuery
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.annotation.annotators import annotate, draw, open_batch
from tests.crowd.winogavil.annotation.annotators import make_selected as make_annotated
from tests.crowd.winogavil.game import make_cues, make_game_batch, solve, sweep
from tests.factories import NOW, make_account, make_picture, make_study, make_user, make_worker
from tests.idle import watch
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def make_work(*cues: str) -> Assignment:
    """Work of a spymaster whose words wait for solvers."""
    study, author = make_study(), make_worker()
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
    work = make_cues(make_game_batch(CREATE, study=study, account=author.account), author, *cues)
    sweep()
    return work


def pull(work: Assignment, slot: int, *, at: timedelta = HOUR) -> None:
    Item.objects.filter(rival_query__assignment=work, rival_query__slot=slot).update(pulled_at=NOW + at)


def is_judged(work: Assignment) -> bool:
    return Assignment.objects.filter(pk=work.pk, judged_at__isnull=False).exists()


def test_nothing_is_due_where_no_word_is_away() -> None:
    make_work("snow", "winter")

    assert next_credit(now=NOW) is None


def test_author_is_due_once_the_last_word_has_been_away_for_long_enough() -> None:
    work = make_work("snow", "winter")
    pull(work, 1, at=HOUR)
    pull(work, 2, at=2 * HOUR)
    due = NOW + 2 * HOUR + PATIENCE
    assert next_credit(now=NOW) == due

    credit_authors(now=due - SECOND)
    early = is_judged(work)
    credit_authors(now=due)

    assert (early, is_judged(work), next_credit(now=due)) == (False, True, None)


def test_first_of_several_authors_is_due_first() -> None:
    for at in (3 * HOUR, HOUR, 2 * HOUR):
        pull(make_work("snow"), 1, at=at)

    assert next_credit(now=NOW) == NOW + HOUR + PATIENCE


@pytest.mark.parametrize("changes", [{"kept_out": True}, {"status": "rejected"}, {"judged_at": NOW}], ids=str)
def test_nobody_waits_for_work_that_is_never_judged(changes: dict[str, object]) -> None:
    work = make_work("snow")
    pull(work, 1)
    Assignment.objects.filter(pk=work.pk).update(**changes)

    assert next_credit(now=NOW + 2 * PATIENCE) is None


def test_word_that_people_may_solve_waits_for_no_clock() -> None:
    work = make_work("snow", "winter")
    pull(work, 1)

    assert next_credit(now=NOW) is None
    RivalQuery.objects.filter(assignment=work, slot=2).update(item=None)
    assert next_credit(now=NOW) is None


def make_finished_game(*, is_open: bool) -> None:
    """Make two solved words and a batch that grows by itself; `is_open` adds a word that waits for people."""
    study, account = make_study(), make_account()
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
    create = make_game_batch(CREATE, study=study, account=account)
    batch = make_game_batch(SOLVE, study=study, account=account, launched_by=make_user(is_superuser=True))
    make_cues(create, make_worker(account=account), "snow", "winter")
    sweep()
    for solver in [make_worker(account=account) for _ in range(3)]:
        assert solve(batch, solver)
        assert solve(batch, solver)
    if is_open:
        make_cues(create, make_worker(account=account), "white")
    sweep()
    Batch.objects.filter(study=study).update(status="complete")
    Game.objects.create(study=study, solve_batch=batch, grows=True)


SWEEPS: list[tuple[Callable[[], object], int]] = [
    (lambda: judge_submitted(now=NOW), 1),
    (lambda: association_creation.make_associations(now=NOW), 1),
    (lambda: withdrawal.pull_disowned(now=NOW), 1),
    (lambda: association_verdicts.ask_rivals(now=NOW), 1),
    (association_verdicts.read_verdicts, 1),
    (lambda: final_associations.finalize_associations(now=NOW), 1),
    (lambda: association_creation.credit_authors(now=NOW), 2),
    (lambda: solve_places.grow_solving(now=NOW), 1),
    (lambda: finalize_annotations(now=NOW), 1),
]


@pytest.mark.parametrize(("run", "queries"), SWEEPS)
def test_sweep_that_finds_nothing_asks_little_and_writes_nothing(
    run: Callable[[], object], queries: int
) -> None:
    for _ in range(2):
        make_finished_game(is_open=False)
    make_annotations()

    idle = watch(run)

    assert (idle.queries, idle.writes) == (queries, [])


def test_words_that_wait_for_people_make_no_sweep_write() -> None:
    make_finished_game(is_open=True)
    solve_places.grow_solving(now=NOW)

    assert [watch(run).writes for run, _ in SWEEPS] == [[]] * len(SWEEPS)


def make_annotations() -> None:
    """Make an annotation that is final, and its batch."""
    study = make_study()
    make_annotated(study)
    draw(study, Kind.TYPES)
    batch = open_batch(study, Kind.TYPES)
    annotate(batch, *[["colors"]] * 3)
    finalize_annotations(now=NOW)
    judge_submitted(now=NOW)
    association_verdicts.ask_rivals(now=NOW)
    Batch.objects.filter(study=study).update(status="complete")

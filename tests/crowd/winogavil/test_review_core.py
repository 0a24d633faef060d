"""Attacks on the game that a reviewer tried: phantom pictures, coarse words, crashes, races."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime
from decimal import Decimal

import pytest
from django.db import connections
from django.db.models import QuerySet
from django.http import QueryDict

from crowd.pictures.models import Picture
from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.winogavil.domain import CREATE, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.items import read_rows
from crowd.winogavil.models import Association, Game
from crowd.winogavil.services import association_creation, association_verdicts, solve_places
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winogavil.services.withdrawal import decide_report, pull_disowned, pull_or_restore, report_cue
from crowd.winogavil.solver_task import SolveTask
from crowd.winogavil.spymaster_task import CreateTask
from hits.batches.services import drafting
from hits.batches.services import top_up as growing_of_hits
from hits.core.errors import InvalidAnswer, InvalidItems, RuleBroken
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.services import leasing
from scoring.services.rival_answers import answer_waiting
from tests.crowd.winogavil.game import make_cues, make_game_batch, open_work, put_cue, solve, sweep
from tests.factories import (
    NOW,
    make_account,
    make_association,
    make_picture,
    make_study,
    make_user,
    make_worker,
)
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def study() -> Study:
    study = make_study(bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
    return study


@pytest.fixture
def people(study: Study) -> list[Worker]:
    account = make_account()
    return [make_worker(account=account) for _ in range(6)]


def proposal(*, cue: str = "snow", chosen: tuple[str, ...] = ("0", "1"), slot: str = "1") -> QueryDict:
    form = QueryDict(mutable=True)
    form["slot"], form["cue"] = slot, cue
    form.setlist("chosen", list(chosen))
    return form


@pytest.mark.parametrize("phantom", ["00019", "0001" + "9" * 5000], ids=["five-digits", "huge"])
def test_pictures_that_are_not_shown_cannot_be_chosen(
    study: Study, people: list[Worker], phantom: str
) -> None:
    """The model could not find a phantom, and people need not pick it."""
    work = open_work(make_game_batch(CREATE, study=study, account=people[0].account), people[0])

    with pytest.raises(InvalidAnswer, match="not on this page"):
        CreateTask().read_proposal(form=proposal(chosen=("2", phantom)), assignment=work)


def test_coarse_word_is_refused(study: Study, people: list[Worker]) -> None:
    work = open_work(make_game_batch(CREATE, study=study, account=people[0].account), people[0])

    with pytest.raises(InvalidAnswer, match="coarse"):
        CreateTask().read_proposal(form=proposal(cue="Shit"), assignment=work)


def test_verdict_on_a_word_that_was_not_handed_in_is_left_alone(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    put_cue(open_work(create, people[0]), "snow")
    answer_waiting()

    assert association_verdicts.read_verdicts() == 0


def test_most_that_a_create_hit_costs_counts_both_words(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account, reward=Decimal("0.07"))

    assert create.prices.place(assignments_per_hit=1) == Decimal("0.61")


def test_crash_after_the_scores_loses_no_bonus(
    study: Study, people: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account)
    work = make_cues(create, people[0], "snow")
    sweep()
    for solver in people[1:4]:
        solve(batch, solver)

    def die(**_: object) -> bool:
        raise SystemExit

    with monkeypatch.context() as broken:
        broken.setattr(association_creation, "mark_judged", die)
        with pytest.raises(SystemExit):
            sweep()
    sweep()

    assert Assignment.objects.get(pk=work.pk).judged_at == NOW


def test_word_that_lost_an_answer_while_its_author_is_credited_is_credited_again(
    study: Study, people: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process reopens the word between the reading and the writing."""
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account)
    make_cues(create, people[0], "snow")
    sweep()
    for solver in people[1:4]:
        solve(batch, solver)
    with monkeypatch.context() as later:
        later.setattr(association_creation, "credit_authors", lambda **_: 0)
        sweep()
    lock = association_creation._lock_authors

    def reopened_meanwhile(associations: Sequence[int]) -> None:
        Association.objects.update(
            final_at=None, solvers_numerator=None, solvers_denominator=None, told_at=None
        )
        lock(associations)

    monkeypatch.setattr(association_creation, "_lock_authors", reopened_meanwhile)

    association_creation.credit_authors(now=NOW)

    assert Association.objects.get().told_at is None


def test_word_that_stays_away_does_not_hold_back_the_bonus_of_the_other(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account)
    work = make_cues(create, people[0], "snow", "winter")
    sweep()
    Item.objects.filter(association__cue="winter").update(pulled_at=NOW)
    for solver in people[1:4]:
        solve(batch, solver)
    sweep()
    early = Assignment.objects.get(pk=work.pk).judged_at

    association_creation.credit_authors(now=NOW + association_creation.PATIENCE)

    assert early is None
    assert Assignment.objects.get(pk=work.pk).judged_at == NOW + association_creation.PATIENCE


def test_create_batch_with_two_sets_on_a_page_is_refused(study: Study, people: list[Worker]) -> None:
    account, by = people[0].account, make_user()

    with pytest.raises(RuleBroken, match="1 item at most"):
        drafting.start_draft(study=study, account=account, task=CREATE, by=by, items_per_assignment=2)

    assert not Batch.objects.exists()


def test_growing_twice_at_one_instant_adds_once(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        make_association(study=study)
    batch = make_game_batch(SOLVE, study=study, launched_by=make_user(is_superuser=True))
    Game.objects.create(study=study, solve_batch=batch, grows=True)
    counted = growing_of_hits.hits_lacking

    def counted_twice(batch: Batch) -> int:
        count = counted(batch)
        monkeypatch.setattr(growing_of_hits, "hits_lacking", counted)
        solve_places.grow_solving(now=NOW)
        return count

    monkeypatch.setattr(growing_of_hits, "hits_lacking", counted_twice)
    solve_places.grow_solving(now=NOW)

    assert HIT.objects.count() == 3


def test_file_names_pictures_that_may_be_shown(study: Study) -> None:
    concepts = [f"thing{number}" for number in range(5)]
    pictures = [make_picture(concept=concept) for concept in concepts]
    content = f"cue,candidates,chosen\nsnow,{'|'.join(concepts)},thing0|thing1\n".encode()
    fit = read_rows(content)
    Picture.objects.filter(pk=pictures[4].pk).update(status=Picture.Status.WAITING)

    with pytest.raises(InvalidItems) as refused:
        read_rows(content)

    assert len(fit) == 1
    assert refused.value.problems == ["Line 2: the pool has no picture “thing4”."]


def test_word_that_was_pulled_is_not_asked_anew(study: Study) -> None:
    batch = make_game_batch(SOLVE, study=study, items_from="file", launched_at=NOW)
    for number in range(2):
        association = make_association(study=study)
        Item.objects.filter(association=association).update(batch=batch, pulled_at=NOW if number else None)

    draft = drafting.start_draft(
        study=study,
        account=batch.account,
        task=SOLVE,
        by=make_user(),
        items_from="batch",
        source_batch=batch,
    )

    assert list(draft.items.values_list("repeats__pulled_at", flat=True)) == [None]


def test_reported_word_is_shown_to_nobody_where_it_is_asked_anew(study: Study, people: list[Worker]) -> None:
    first = make_association(study=study)
    batch = make_game_batch(SOLVE, study=study)
    SolveTask().repeat_items([first.item], batch=batch)
    anew = Association.objects.get(item__repeats=first.item, item__batch=batch)

    by_the_first = report_cue(association=first, worker=people[0], reason="other", text="", now=NOW)
    away = Item.objects.exclude(pulled_at=None).count()
    decide_report(report=by_the_first, uphold=False, by=make_user(), now=NOW)
    back = Item.objects.exclude(pulled_at=None).count()
    report_cue(association=anew, worker=people[0], reason="other", text="", now=NOW)

    assert (away, back) == (2, 0)
    assert Item.objects.exclude(pulled_at=None).count() == 2


def test_author_is_not_asked_for_their_own_word_anew(study: Study, people: list[Worker]) -> None:
    account = people[0].account
    make_cues(make_game_batch(CREATE, study=study, account=account), people[0], "snow")
    association_creation.make_associations(now=NOW)
    batch = make_game_batch(SOLVE, study=study, account=account, items_from="batch")
    SolveTask().repeat_items(list(Item.objects.filter(task=SOLVE)), batch=batch)

    assert solve(batch, people[0]) is None
    assert solve(batch, people[1]) is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("why", ["picture", "work"])
def test_what_goes_away_while_a_word_is_made_takes_the_word_with_it(
    study: Study, people: list[Worker], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """A process that pulls the word waits until it is made, and then finds it."""
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    work = make_cues(create, people[0], "snow")
    by, pictures = make_user(), list(Picture.objects.all()[:1])
    look, others = pull_or_restore, ThreadPoolExecutor(1)
    going: list[Future[None]] = []

    def take_away() -> None:
        try:
            if why == "picture":
                remove_pictures(pictures=pictures, reason="blurred", by=by, now=NOW)
            else:
                leasing.keep_out(work, now=NOW)
                pull_disowned(now=NOW)
        finally:
            connections.close_all()

    def looked_too_early(items: QuerySet[Item], *, now: datetime) -> int:
        changed = look(items, now=now)
        going.append(others.submit(take_away))
        wait(going, timeout=1)
        return changed

    monkeypatch.setattr(association_creation, "pull_or_restore", looked_too_early)
    association_creation.make_associations(now=NOW)
    with others:
        going[0].result()

    assert Association.objects.get().item.pulled_at == NOW

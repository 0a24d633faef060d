"""Spymasters' words become associations, solvers make them final, and both give the spymaster scores."""

from fractions import Fraction

import pytest
from django.test import RequestFactory

from crowd.frame.question_pages import show_practice
from crowd.winogavil.domain import CREATE, SOLVE
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.services import association_creation
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.providers.services import usable_accounts
from hits.studies.models import Study
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services import leasing
from scoring.models import Score, Verdict
from tests.crowd.winogavil.game import (
    hand_in,
    make_cues,
    make_game_batch,
    open_work,
    put_cue,
    solve,
    sweep,
)
from tests.factories import NOW, make_account, make_picture, make_study, make_worker
from tests.pages import text_of
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def study() -> Study:
    study = make_study()
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
    return study


@pytest.fixture
def people(study: Study) -> list[Worker]:
    account = make_account()
    return [make_worker(account=account) for _ in range(5)]


def scores_of(work: Assignment) -> dict[tuple[str, str], Fraction]:
    rows = Score.objects.filter(assignment=work).select_related("item__association")
    return {(score.item.association.cue, score.measure): score.value for score in rows}


def test_handed_in_words_become_associations_that_others_solve(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    work = make_cues(create, people[0], "snow", "winter")

    made = [association_creation.make_associations(now=NOW) for _ in range(2)]

    first, second = Association.objects.order_by("pk")
    picture_set = work.leases.get().item.picture_set
    assert made == [2, 0]
    assert (first.cue, second.cue) == ("snow", "winter")
    assert (first.source, first.picture_set, first.set_key == second.set_key) == ("worker", picture_set, True)
    assert [place.picture for place in first.places.all()] == [
        place.picture for place in picture_set.places.all()
    ]
    assert [place.chosen for place in first.places.all()] == [True, True, False, False, False, False]
    assert [(item.author, item.wanted, item.batch) for item in Item.objects.filter(task=SOLVE)] == [
        (people[0], 3, None)
    ] * 2


def test_work_that_was_not_handed_in_makes_nothing(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    put_cue(open_work(create, people[0]), "snow")

    assert association_creation.make_associations(now=NOW) == 0
    assert not Association.objects.exists()


def test_author_is_scored_once_all_words_are_final(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account, items_per_assignment=1)
    work = make_cues(create, people[0], "snow", "winter")
    sweep()
    for solver in people[1:4]:
        solve(batch, solver)
    sweep()
    half = (scores_of(work), Assignment.objects.get(pk=work.pk).judged_at)

    for solver in people[1:3]:
        solve(batch, solver)
    solve(batch, people[3], right=False)
    sweep()

    fool = {
        verdict.rival_query.text: verdict.fool_score
        for verdict in Verdict.objects.select_related("rival_query")
    }
    assert half == (
        {("snow", "fool"): Fraction(fool["snow"], 100), ("snow", "solvable"): Fraction(1)},
        None,
    )
    assert scores_of(work) == {
        **half[0],
        ("winter", "fool"): Fraction(fool["winter"], 100),
        ("winter", "solvable"): Fraction(2, 3),
    }
    assert Assignment.objects.get(pk=work.pk).judged_at == NOW
    assert Solution.objects.count() == 6
    assert list(Solution.objects.order_by("pk").values_list("picked", flat=True))[:2] == [[0, 1], [0, 1]]


def test_bonus_waits_for_the_solvers_and_the_reward_does_not(
    study: Study, people: list[Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account, items_per_assignment=2)
    work = make_cues(create, people[0], "snow", "winter")
    approved: list[str] = []

    class Yes:
        def approve_assignment(self, external_id: str, *, feedback: str = "") -> None:
            approved.append(external_id)

    monkeypatch.setattr(usable_accounts, "provider_for", lambda *_, **__: Yes())

    sweep()
    push_decisions.approve_judged(now=NOW)
    accrual.owe_bonuses(now=NOW)
    early = (approved == [work.external_id], Bonus.objects.count())
    Association.objects.update(model_score=33)
    for solver in people[1:4]:
        solve(batch, solver)
    sweep()
    accrual.owe_bonuses(now=NOW)

    assert early == (True, 0)
    assert [f"{bonus.amount}" for bonus in Bonus.objects.filter(assignment=work)] == ["0.36"]


def test_answer_taken_out_opens_the_word_again_and_changes_its_scores(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account)
    work = make_cues(create, people[0], "snow")
    sweep()
    solved = [solve(batch, solver) for solver in people[1:4]]
    sweep()
    wrong = solved[0]
    assert wrong is not None

    leasing.keep_out(wrong, now=NOW)
    sweep()
    open_again = (Association.objects.get().final_at, Solution.objects.count())
    solve(batch, people[4], right=False)
    sweep()

    assert open_again == (None, 0)
    assert Association.objects.get().solvers_mean == Fraction(2, 3)
    assert scores_of(work)["snow", "solvable"] == Fraction(2, 3)
    assert Solution.objects.count() == 3


def test_page_says_before_how_many_words_are_asked_and_how_they_earn_a_bonus(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)

    page = show_practice(RequestFactory().get("/"), create)

    said = " ".join(text_of(page).split())
    assert "The reward is for 2 words about the same pictures" in said
    assert "fools the model by 50 % or more earns a bonus of $0.03 to $0.27, the more it misses," in said
    assert "if the people who solve it find your pictures by 80 % or more on average." in said


def test_what_was_returned_untested_is_given_to_the_same_worker_again(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    first = open_work(create, people[0])
    leasing.give_up(first, now=NOW)

    second = open_work(create, people[0])

    assert len(leasing.items_of(second)) == 1


def test_what_was_returned_after_a_test_is_not_shown_again(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    first = open_work(create, people[0])
    put_cue(first, "snow")
    leasing.give_up(first, now=NOW)

    second = open_work(create, people[0])
    third = open_work(create, people[1])

    assert leasing.items_of(second) == []
    assert len(leasing.items_of(third)) == 1


def test_three_spymasters_have_a_picture_set_and_no_fourth(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)

    served = [len(leasing.items_of(open_work(create, worker))) for worker in people[:4]]

    assert served == [1, 1, 1, 0]


def test_author_never_solves_the_own_word(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account)
    make_cues(create, people[0], "snow")
    sweep()

    assert solve(batch, people[0]) is None
    assert solve(batch, people[1]) is not None
    assert solve(batch, people[1]) is None


def test_answer_that_names_another_spymasters_words_makes_only_the_own(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    theirs = put_cue(open_work(create, people[0]), "snow")
    mine = open_work(create, people[1])
    put_cue(mine, "ice")

    hand_in(mine, {"cues": [str(theirs.public_id)]})
    association_creation.make_associations(now=NOW)

    assert [association.cue for association in Association.objects.all()] == ["ice"]

"""Creating associations is rehearsed with a simulated model, and with the solving that follows."""

from decimal import Decimal
from typing import Any

import pytest

from crowd.winogavil.domain import CREATE, SOLVE, SOLVER_TIERS, WINOGAVIL_TIERS
from crowd.winogavil.models import Game
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.studies.models import Batch
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.crowd.rehearsal.test_rehearsed_words import record_words
from tests.factories import make_batch, make_picture, make_study

pytestmark = pytest.mark.django_db
FOOLS, SOLVES = WINOGAVIL_TIERS[0]["name"], SOLVER_TIERS[0]["name"]
SURE = {"skill": 100, "skill_spread": 0, "understood": 100}


def make_creation(*, sets: int = 2, size: int = 6) -> Batch:
    """A draft that gives each of the sets to three creators, in a study with the paper's bonuses."""
    study = make_study(bonus_rules=[*WINOGAVIL_TIERS, *SOLVER_TIERS])
    for _ in range(sets):
        seed_picture_set(study=study, pictures=[make_picture() for _ in range(size)])
    return make_batch(
        study=study,
        task=CREATE,
        title="Find a word",
        reward=Decimal("0.07"),
        hits_wanted=3 * sets,
        assignments_per_hit=1,
    )


def draft_solving(creation: Batch, **changes: Any) -> Batch:
    return make_batch(
        study=creation.study, account=creation.account, task=SOLVE, items_per_assignment=2, **changes
    )


def test_words_are_made_and_solved_by_others_in_the_draft_of_the_study_twice_alike() -> None:
    batch = make_creation()
    draft_solving(batch)

    first, second = rehearse(batch), rehearse(batch)
    run = first["runs"][0]

    assert (first["final_in_runs"], first["starving"], first["nothing_lost"]) == (1, {}, True)
    assert run["works"] >= 6 + 12 * 3 / 2
    assert first["runs"] == second["runs"]
    assert "which is launched with the first word" in " ".join(first["sources"])


def test_creators_earn_by_tier_what_the_model_misses_and_people_find() -> None:
    batch = make_creation()
    draft_solving(batch)

    run = rehearse(batch, **SURE, fools=100)["runs"][0]
    fooled = run["bonuses"]
    found = rehearse(batch, **SURE, fools=0)["runs"][0]["bonuses"]

    assert sum(times for name, times in fooled.items() if name.startswith(FOOLS)) == 12
    assert run["figures"] == {"Words that were invented": 12, "Words that are selected": 12}
    assert {name for name in found if name.startswith(FOOLS)} == set()
    assert found[f"{SOLVES}: 0.03"] == fooled[f"{SOLVES}: 0.03"] == 36


def test_words_fare_as_recorded_ones_of_the_study() -> None:
    batch = make_creation(sets=1)
    draft_solving(batch)
    record_words(batch.study, count=30, model_score=0)

    report = rehearse(batch, fools=0, understood=0, skill=0)
    bonuses = report["runs"][0]["bonuses"]

    assert {name: times for name, times in bonuses.items() if name.startswith(FOOLS)} == {f"{FOOLS}: 0.27": 6}
    assert "New words fare as 30 recorded words of this study did" in report["sources"][0]


def test_the_batch_that_solves_already_grows() -> None:
    batch = make_creation(sets=1)
    solving = draft_solving(batch, status="complete")
    Game.objects.create(study=batch.study, solve_batch=solving)

    report = rehearse(batch)

    assert (report["final_in_runs"], report["starving"]) == (1, {})
    assert "which is launched already" in " ".join(report["sources"])


def test_nobody_solves_a_word_of_their_own() -> None:
    batch = make_creation(sets=1)
    draft_solving(batch)

    report = rehearse(batch, workers=3, works_each=1000, most_days=1)

    assert report["runs"][0]["workers"]["worked"] == 3
    assert report["final_in_runs"] == 0
    assert "everybody who came has answered it or wrote it" in report["starving"]


def test_words_that_no_batch_solves_starve() -> None:
    batch = make_creation(sets=1)

    report = rehearse(batch, most_days=1)

    assert report["final_in_runs"] == 0
    assert report["starving"]["no batch of this study solves it"]["mean"] == 6
    assert "draft one, and rehearse again" in " ".join(report["sources"])


def test_a_budget_that_is_too_small_for_the_solving_is_told() -> None:
    batch = make_creation(sets=1)
    draft_solving(batch, hits_wanted=100)
    batch.study.budget = batch.cost.total
    batch.study.save()

    report = rehearse(batch, most_days=1)

    (lack,) = report["starving"]
    assert lack.startswith("no place to solve it: ")


def test_with_every_fault_nothing_of_a_game_is_lost() -> None:
    batch = make_creation(sets=1)
    draft_solving(batch)

    report = rehearse(batch, **SURE, fools=100, come_within_h=48, throttled=20, lost_events=50, killed=50)
    sides = report["runs"][0]["both_sides"]

    assert min(sides[name] for name in ("calls_refused", "events_lost", "processes_killed")) > 0
    assert (report["nothing_lost"], report["starving"]) == (True, {})

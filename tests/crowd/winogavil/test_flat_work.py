"""What a file says of the game's work: words, what the pictures show, choices, verdicts and scores."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.pictures.models import Picture
from crowd.winogavil.domain import CREATE, SOLVE
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winogavil.solver_task import SolveTask
from hits.data.services.flat_export import export_flat
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.services.leasing import items_served
from scoring.models import Verdict
from tests.crowd.winogavil.game import make_cues, make_game_batch, solve, sweep
from tests.factories import make_account, make_picture, make_study, make_worker
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def study() -> Study:
    study = make_study()
    seed_picture_set(study=study, pictures=[make_picture(concept=f"thing {n}") for n in range(6)])
    return study


@pytest.fixture
def people() -> list[Worker]:
    account = make_account()
    return [make_worker(account=account) for _ in range(5)]


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_a_made_word_is_said_with_pictures_choice_verdict_and_scores(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account, items_per_assignment=1)
    make_cues(create, people[0], "snow", "winter")
    sweep()
    for person in people[1:4]:
        solve(batch, person)
        solve(batch, person, right=False)
    sweep()

    first, second = rows_of(create)

    association = Association.objects.get(cue="snow")
    verdict = Verdict.objects.get(rival_query__text="snow")
    pictures = [place.picture for place in association.places.select_related("picture")]
    assert (first["cue"], second["cue"], first["row"], second["row"]) == ("snow", "winter", 1, 2)
    assert first["item"] == str(association.item.public_id)
    assert first["candidates"] == [picture.concept for picture in pictures if picture]
    assert first["candidates_sha256"] == [picture.sha256 for picture in pictures if picture]
    assert first["associations"] == first["candidates"][:2]
    assert first["associations_sha256"] == first["candidates_sha256"][:2]
    assert first["model"] == verdict.rival.name
    assert first["model_picked"] == [first["candidates"][place] for place in verdict.places]
    assert (first["model_score_percent"], first["score_fool_the_ai_percent"]) == (
        verdict.model_score,
        100 - verdict.model_score,
    )
    assert first["final_at"]
    assert first["solvers_jaccard_mean"] == pytest.approx(float(association.solvers_mean or -1))


def test_a_made_word_without_a_verdict_is_said_too(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    make_cues(create, people[0], "snow")

    [row] = rows_of(create)

    empty = (
        "item",
        "model_picked",
        "model_score_percent",
        "score_fool_the_ai_percent",
        "solvers_jaccard_mean",
        "final_at",
    )
    assert (row["cue"], len(row["candidates"])) == ("snow", 6)
    assert [row[name] for name in empty] == [None] * len(empty)


def test_a_solved_word_is_said_with_what_was_picked_and_what_was_right(
    study: Study, people: list[Worker]
) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account, items_per_assignment=1)
    make_cues(create, people[0], "snow")
    sweep()
    solve(batch, people[1])
    solve(batch, people[2], right=False)
    solve(batch, people[3])
    sweep()

    right, wrong, _ = rows_of(batch)

    verdict = Verdict.objects.get()
    assert (right["cue"], right["source"], right["picked"]) == ("snow", "worker", right["associations"])
    assert (right["jaccard"], right["is_right"]) == (1.0, True)
    assert (wrong["jaccard"], wrong["is_right"]) == (0.0, False)
    assert not {*wrong["picked_sha256"]} & {*right["picked_sha256"]}
    assert {*wrong["picked_sha256"]} <= {*wrong["candidates_sha256"]}
    assert (right["model"], right["model_score_percent"]) == (verdict.rival.name, verdict.model_score)
    assert right["solvers_jaccard_mean"] == pytest.approx(2 / 3)
    assert Solution.objects.count() == 3


def test_a_solved_word_is_said_in_the_order_that_its_solver_saw(study: Study, people: list[Worker]) -> None:
    create = make_game_batch(CREATE, study=study, account=people[0].account)
    batch = make_game_batch(SOLVE, study=study, account=people[0].account, items_per_assignment=1)
    make_cues(create, people[0], "snow")
    sweep()
    solve(batch, people[1])

    [row] = rows_of(batch)

    work = batch.hits.get(assignments__isnull=False).assignments.get()
    [question] = SolveTask().work_page(assignment=work, items=items_served(work)).context["questions"]
    keys = dict(Picture.objects.values_list("sha256", "key"))
    assert [keys[one] for one in row["shown_sha256"]] == [picture["key"] for picture in question["pictures"]]
    assert sorted(row["shown"]) == sorted(row["candidates"])
    assert row["shown_sha256"] != row["candidates_sha256"]


def test_made_words_of_many_are_read_in_as_many_queries_as_those_of_one(
    study: Study, people: list[Worker]
) -> None:
    counts = []
    for size in (1, 4):
        create = make_game_batch(CREATE, study=study, account=people[0].account)
        for person in people[:size]:
            seed_picture_set(study=study, pictures=[make_picture() for _ in range(6)])
            make_cues(create, person, "snow", "winter")
        sweep()
        with CaptureQueriesContext(connection) as queries:
            assert len(rows_of(create)) == 2 * size
        counts.append(len(queries))

    assert counts[0] == counts[1]

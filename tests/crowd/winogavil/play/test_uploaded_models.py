"""Uploaded predictions on the players' leaderboard of models."""

import json
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.benchmark_results import answer_benchmarks, task_of
from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.winogavil.humans import Baseline
from crowd.winogavil.play.models import WebGame
from crowd.winogavil.play.services import accounts, player_figures
from crowd.winogavil.play.site.session import COOKIE
from crowd.winogavil.releases import game_benchmark
from crowd.winogavil.uploaded_models import uploaded_models_of
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from scoring.models import RivalQuery
from scoring.queries.rivals_beside_people import compare, compare_apart
from tests.crowd.winogavil.play.table import make_game, make_player
from tests.crowd.winogavil.releases.data import add_verdict, benchmark_of, make_final, upload_answers
from tests.factories import NOW, make_user
from tests.people import sign_in

pytestmark = pytest.mark.django_db
SOURCES = ["player", "swow", "worker"]


@pytest.fixture
def game() -> WebGame:
    return make_game()


def page_of_models(game: WebGame, settings: LazySettings) -> str:
    """The leaderboard of models as a player of the game sees it."""
    visitor = Client(SERVER_NAME=urlsplit(settings.PLAY_URL).netloc.partition(":")[0])
    visitor.cookies[COOKIE] = accounts.sign_in(player=make_player(game), now=timezone.now())
    return visitor.get("/leaders/models/").content.decode()


def make_published(
    study: Study, *, version: str = "1.0", publish: bool = True, sources: Sequence[str] = SOURCES
) -> Release:
    release = release_states.make_release(
        family="winogavil",
        study=study,
        title="Words",
        version=version,
        licence="CC BY 4.0",
        sources=sources,
        by=make_user(),
        now=NOW,
    )
    for _ in range(3):
        release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    if publish:
        release_states.publish_release(release=release, by=make_user(), now=NOW)
    return release


def upload(release: Release, model: str, *places: int, most: int | None = None) -> None:
    """Upload the answers of a model that always picks these places, for so many of the items."""
    items = [read.item for read in items_from(release, task_of(benchmark_of(release)))]
    rows = [
        {"ID": item.name, "prediction": [item.row["candidates"][place] for place in places]}
        for item in items[:most]
    ]
    upload_answers(release, json.dumps(rows), name=model, is_part=True)
    answer_benchmarks(now=NOW)


def rows_of(study: Study) -> list[tuple[str, float, bool]]:
    found = uploaded_models_of(study)
    return [(row.name, row.mean, row.is_people) for row in found.rows] if found else []


def test_models_of_a_published_release_stand_beside_people_the_best_first(game: WebGame) -> None:
    make_final(game.study, source="player", picks=[(0, 1), (0, 1), (0, 3)])  # below the threshold
    make_final(game.study, source="player")
    release = make_published(game.study)

    upload(release, "left", 0, 2)
    upload(release, "right", 0, 1)
    upload(release, "wrong", 2, 3)

    assert rows_of(game.study) == [
        ("Solvers", 100.0, True), ("right", 100.0, False), ("left", 33.3, False), ("wrong", 0.0, False),
    ]  # fmt: skip


def test_only_whole_predictions_on_published_data_are_there(game: WebGame) -> None:
    for _ in range(2):
        make_final(game.study, source="player")
    first = make_published(game.study)
    assert rows_of(game.study) == []

    upload(first, "part", 0, 1, most=1)
    assert rows_of(game.study) == []
    upload(first, "whole", 0, 1)
    draft = make_published(game.study, version="2.0", publish=False)
    upload(draft, "secret", 0, 1)
    make_published(game.study, version="3.0")

    assert [name for name, *_ in rows_of(game.study)] == ["Solvers", "whole"]


def test_a_newer_release_without_a_whole_prediction_of_the_game_hides_no_board(game: WebGame) -> None:
    for _ in range(2):
        make_final(game.study, source="player")
    make_final(game.study, source="swow")
    upload(make_published(game.study), "whole", 0, 1)
    upload(make_published(game.study, version="2.0"), "part", 0, 1, most=1)
    upload(make_published(game.study, version="3.0", sources=["swow"]), "baseline", 0, 1)

    found = uploaded_models_of(game.study)

    assert found is not None
    assert (found.data, [row.name for row in found.rows]) == ("Words 1.0", ["Solvers", "whole"])


def test_people_beside_them_are_those_who_solved_the_very_release(
    game: WebGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    newcomers = Baseline(sums={(False, 5): (10, Fraction(5))})
    monkeypatch.setattr(game_benchmark, "baseline_of", {game.study: newcomers}.get)
    make_final(game.study, source="player")

    upload(make_published(game.study), "right", 0, 1)

    assert rows_of(game.study) == [("Solvers", 100.0, True), ("right", 100.0, False)]


def test_the_baseline_is_no_part_of_the_means(game: WebGame) -> None:
    make_final(game.study, source="player")
    make_final(game.study, source="swow", chosen=(2, 3), picks=[(2, 3)] * 3)
    release = make_published(game.study)

    upload(release, "right", 0, 1)

    assert ("right", 100.0, False) in rows_of(game.study)


def test_rivals_are_compared_without_the_baseline(game: WebGame) -> None:
    verdict = add_verdict(make_final(game.study, source="swow"))
    player_figures.count_models(now=NOW)

    game.refresh_from_db()
    apart = compare_apart(game.study, paid=verdict.rival)
    (row,) = [row for row in apart["SWOW baseline"].rivals if row.rival == verdict.rival]
    assert (apart["SWOW baseline"].rival_queries, row.answered) == (1, 1)
    assert compare(game.study, paid=verdict.rival).rival_queries == 0
    assert compare_apart(make_game().study, paid=verdict.rival) == {}
    assert RivalQuery.objects.filter(study=game.study).exists()
    assert game.models_leaderboard == []


def test_players_see_them_once_a_researcher_says_so(
    client: Client, game: WebGame, settings: LazySettings
) -> None:
    make_final(game.study, source="player")
    upload(make_published(game.study), "A <b>model</b>", 0, 2)
    by = sign_in(client, RESEARCHER, game.study)
    form: dict[str, Any] = {"title": game.title, "solves_per_cue": "3", "fewest_final": "20"}
    address = reverse("admin:play_settings", args=[game.study_id])
    player_figures.count_models(now=NOW)
    game.refresh_from_db()
    before = (game.uploads_leaderboard, "published words" in page_of_models(game, settings))

    client.post(address, {**form, "shows_uploads": "on"})
    counted = player_figures.count_models(now=NOW)
    game.refresh_from_db()
    page = page_of_models(game, settings)

    assert (before, counted, game.shows_uploads) == (({}, False), 1, True)
    assert "Models that were tried on Words 1.0" in page
    assert "A &lt;b&gt;model&lt;/b&gt;" in page
    assert "33.3 %" in page
    assert game.uploads_leaderboard["data"] == "Words 1.0"
    assert [row["name"] for row in game.uploads_leaderboard["rows"]] == ["Solvers", "A <b>model</b>"]
    assert AuditEvent.objects.filter(
        kind="web_game.changed", by=by, words__contains="shows_uploads True"
    ).exists()
    client.post(address, form)
    assert "Words 1.0" not in page_of_models(game, settings)
    player_figures.count_models(now=NOW + timedelta(seconds=1))
    game.refresh_from_db()
    assert (game.shows_uploads, game.uploads_leaderboard) == (False, {})

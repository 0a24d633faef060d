"""What a turn is worth at its end, and what it continues, as it is kept with the turn."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext

from crowd.winogavil.models import Game
from crowd.winogavil.play.models import Player, Turn, WebGame
from crowd.winogavil.play.queries import dashboards
from crowd.winogavil.play.services import player_figures, web_games
from hits.studies.models import Study
from tests.crowd.winogavil.play.table import make_game, make_player, play, work_through
from tests.factories import NOW, make_batch, make_study, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=6)


def rows(player: Player, *, now: datetime = NOW) -> dashboards.Rows:
    recent = dashboards.recent_turns(player)
    return dashboards.rows_of(player, recent[0].turn if recent else None, now=now)


def make_words(game: WebGame, count: int) -> None:
    for _ in range(count):
        play(make_player(game))
    work_through()


def test_scores_are_kept_with_the_turn(game: WebGame) -> None:
    make_words(game, 2)
    player = make_player(game)

    turns = [play(player, fools=False), play(player, right=True), play(player, right=False)]

    assert [turn and Turn.objects.get(pk=turn.pk).score for turn in turns] == [0, 100, 0]


def test_right_solves_are_counted_until_one_is_wrong(game: WebGame) -> None:
    make_words(game, 3)
    player = make_player(game)
    play(player)
    counted = []
    for right in (True, True, False):
        play(player, right=right)
        counted.append(rows(player).right)

    assert counted == [1, 2, 0]


def test_right_solves_are_not_told_before_the_game_tells_them(game: WebGame) -> None:
    make_words(game, 1)
    player = make_player(game)
    play(player)
    play(player)
    Game.objects.update(feedback=Game.Feedback.FINAL)
    player = Player.objects.get(pk=player.pk)

    figures = dashboards.figures_of(player)

    assert rows(player).right == 0
    assert figures.jaccard is None
    assert figures.points == 50  # of one's own word alone


def test_days_are_those_of_the_study(game: WebGame) -> None:
    Study.objects.update(time_zone="Asia/Tokyo")
    player = make_player(game)
    # In Tokyo 23:30 and 0:30: one hour apart, and two days.
    late = datetime(2026, 3, 1, 14, 30, tzinfo=UTC)
    make_words(game, 3)
    play(player, now=late)
    first = rows(player, now=late).days
    play(player, now=late + timedelta(minutes=10))
    same_day = rows(player, now=late).days
    play(player, now=late + timedelta(hours=1))

    second = rows(player, now=late + timedelta(hours=1)).days

    assert (first, same_day, second) == (1, 1, 2)
    assert rows(player, now=late + timedelta(days=1)).days == 2
    assert rows(player, now=late + timedelta(days=3)).days == 0


def test_points_stay_when_turns_become_final(game: WebGame) -> None:
    author = make_player(game)
    play(author)
    work_through()
    early = dashboards.figures_of(author).points
    for _ in range(3):
        solver = make_player(game)
        play(solver)
        play(solver)
    work_through()
    player_figures.count_turns(now=NOW)
    author = Player.objects.get(pk=author.pk)

    assert (early, dashboards.figures_of(author).points) == (50, 100)


def test_word_taken_out_of_the_data_gives_no_points(game: WebGame) -> None:
    player = make_player(game)
    turn = play(player)
    assert turn
    turn.assignment.kept_out = True
    turn.assignment.save()

    assert dashboards.figures_of(player).points == 0


def test_end_of_a_turn_costs_the_same_after_many(game: WebGame, django_assert_max_num_queries: Any) -> None:
    player, costs = make_player(game), []
    make_words(game, 4)
    for _ in range(4):
        with django_assert_max_num_queries(200) as asked:
            play(player)
        costs.append(len(_of_turns(asked)))

    assert costs[1:] == [costs[1]] * 3


def _of_turns(asked: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in asked if '"winogavil_play_turn"' in query["sql"]]


def test_game_of_its_own_tells_solvers_at_once_and_no_other_is_changed() -> None:
    decided, paid = make_study(), make_study()
    Game.objects.create(study=decided, feedback=Game.Feedback.NEVER)
    make_batch(study=paid)
    for study in (decided, paid):
        web_games.make_web_game(study=study, title="Fool it", by=make_user(), now=NOW)

    own = make_game(picture_sets=0)

    assert Game.objects.get(study=own.study).feedback == Game.Feedback.AT_ONCE
    assert Game.objects.get(study=decided).feedback == Game.Feedback.NEVER
    assert not Game.objects.filter(study=paid).exists()

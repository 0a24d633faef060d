"""Leaderboards: a stated rule, the player's own place, and pages that cost the same however many play."""

from typing import Any

import pytest

from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Player, WebGame
from crowd.winogavil.play.queries.leaderboards import A_PAGE, Kind, Leaderboard, read_leaderboard
from tests.crowd.winogavil.play.table import make_game, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=0)


def give(player: Player, *, cues: int = 0, fool: int = 0, solves: int = 0, jaccard: int = 100) -> Player:
    """Give the player so many final cues of this fool score, all solved, and so many final solves."""
    player.standing.worth = domain.TurnWorth(
        final_cues=cues,
        fool_sum=cues * fool,
        solvable_parts=cues * domain.PARTS,
        final_solves=solves,
        jaccard_parts=solves * jaccard * domain.PARTS // 100,
    )
    player.standing.save()
    return player


def read(player: Player, *, kind: Kind = Kind.CREATORS, number: int = 1) -> Leaderboard:
    return read_leaderboard(game=player.game, kind=kind, number=number, player=player)


def names(board: Leaderboard) -> list[str]:
    return [row.name for row in board.rows]


def test_creators_are_ranked_by_the_mean_of_both_scores(game: WebGame) -> None:
    low = give(make_player(game, name="low"), cues=20, fool=40)
    high = give(make_player(game, name="high"), cues=20, fool=80)

    board = read(low)

    assert names(board) == ["high", "low"]
    assert [float(row.points) for row in board.rows] == [0.9, 0.7]
    assert (board.own_place, read(high).own_place) == (2, 1)
    assert [row.is_own for row in board.rows] == [False, True]


@pytest.mark.parametrize(("cues", "place"), [(19, None), (20, 1), (21, 1)])
def test_place_wants_twenty_final_cues(game: WebGame, cues: int, place: int | None) -> None:
    player = give(make_player(game), cues=cues, fool=100)

    board = read(player)

    assert (board.own_place, board.total) == (place, 1 if place else 0)


def test_how_many_are_wanted_is_a_setting(game: WebGame) -> None:
    WebGame.objects.filter(pk=game.pk).update(fewest_final=3)
    game.refresh_from_db()
    player = give(make_player(game), cues=3, fool=100)

    assert read(player).own_place == 1


def test_among_equals_more_cues_come_first_and_then_whoever_came_first(game: WebGame) -> None:
    first = give(make_player(game, name="first"), cues=20, fool=50)
    second = give(make_player(game, name="second"), cues=20, fool=50)
    busy = give(make_player(game, name="busy"), cues=21, fool=50)

    assert names(read(first)) == ["busy", "first", "second"]
    assert [read(player).own_place for player in (busy, first, second)] == [1, 2, 3]


def test_solvers_are_ranked_by_their_own_accuracy(game: WebGame) -> None:
    low = give(make_player(game, name="low"), solves=20, jaccard=50)
    give(make_player(game, name="high"), solves=20, jaccard=75)
    give(make_player(game, name="few"), solves=19, jaccard=100)

    board = read(low, kind=Kind.SOLVERS)

    assert [(row.name, float(row.points), row.count) for row in board.rows] == [
        ("high", 0.75, 20),
        ("low", 0.5, 20),
    ]


def test_pages_hold_fifty_and_one_finds_oneself(game: WebGame) -> None:
    players = [give(make_player(game, name=f"p{n:02}"), cues=20, fool=100 - n) for n in range(A_PAGE + 3)]
    last = players[-1]

    board = read(last)

    assert (len(board.rows), board.pages, board.own_place, board.own_page) == (50, 2, 53, 2)
    assert names(read(last, number=2)) == ["p50", "p51", "p52"]
    assert [row.place for row in read(last, number=2).rows] == [51, 52, 53]
    assert read(last, number=99).page == 2
    assert read(last, number=0).page == 1


def test_other_games_are_on_other_boards(game: WebGame) -> None:
    player = give(make_player(game), cues=20, fool=50)
    give(make_player(make_game(picture_sets=0)), cues=20, fool=100)

    assert (read(player).total, read(player).own_place) == (1, 1)


def test_board_costs_three_queries(game: WebGame, django_assert_num_queries: Any) -> None:
    players = [give(make_player(game), cues=20, fool=n) for n in range(5)]

    with django_assert_num_queries(3):
        read(players[0])

"""Races between several tabs of one player, and between several players."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connections
from django.http import QueryDict

from crowd.winogavil.domain import CREATE
from crowd.winogavil.play.models import Player, Standing, Turn, WebGame
from crowd.winogavil.play.services import accounts, player_figures, turns
from hits.core.errors import RuleBroken
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from tests.crowd.winogavil.game import put_cue
from tests.crowd.winogavil.play.table import PASSWORD, make_game, make_player, play, take_turn, work_through
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 4
Outcome = TypeVar("Outcome")


def all_at_once(deed: Callable[[int], Outcome]) -> list[Outcome]:
    def done(number: int) -> Outcome:
        try:
            return deed(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(done, range(AT_ONCE)))


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=1)


def test_tabs_that_open_at_once_share_one_turn(game: WebGame) -> None:
    player = make_player(game)

    found = all_at_once(lambda _: take_turn(Player.objects.get(pk=player.pk)))

    assert len({turn.pk for turn in found if turn}) == 1
    assert (Turn.objects.count(), HIT.objects.count(), Lease.objects.count()) == (1, 1, 1)


def test_turn_that_is_handed_in_from_several_tabs_counts_once(game: WebGame) -> None:
    player = make_player(game)
    turn = take_turn(player)
    assert turn
    put_cue(turn.assignment, "winter")

    def hand_in(_: int) -> str:
        try:
            work = str(turn.assignment.public_id)
            turns.hand_in(player=player, work=work, form=QueryDict(), now=NOW)
        except RuleBroken as broken:
            return broken.code
        return "done"

    outcomes = all_at_once(hand_in)

    assert sorted(outcomes) == ["done", *["not_your_turn"] * (AT_ONCE - 1)]
    assert Standing.objects.get().cues == 1
    assert Assignment.objects.get().status == Assignment.Status.APPROVED


def test_players_at_once_never_take_more_places_than_there_are(game: WebGame) -> None:
    """One picture set takes three spymasters, so the fourth player finds nothing to do."""
    players = [make_player(game) for _ in range(AT_ONCE)]

    found = all_at_once(lambda number: take_turn(players[number]))

    held = Lease.objects.filter(item__task=CREATE).exclude(status=Lease.Status.RELEASED)
    assert held.count() == 3
    assert found.count(None) == 1


def test_one_name_is_given_to_one_player(game: WebGame) -> None:
    def register(_: int) -> str:
        try:
            accounts.register(
                game=game, name="Owl", password=PASSWORD, agreed_to=1, place=uuid4().hex, now=NOW
            )
        except RuleBroken as broken:
            return broken.code
        return "registered"

    outcomes = all_at_once(register)

    assert sorted(outcomes) == [*["name_taken"] * (AT_ONCE - 1), "registered"]
    assert (Player.objects.count(), Standing.objects.count()) == (1, 1)


def test_sweeps_at_once_count_each_turn_once(game: WebGame) -> None:
    players = [make_player(game) for _ in range(4)]
    for _ in range(3):
        for player in players:
            play(player)
            work_through()

    all_at_once(lambda _: player_figures.count_turns(now=NOW))

    counted = list(Standing.objects.order_by("pk").values())
    for player in players:
        player_figures.rebuild_standing(player_id=player.pk, now=NOW)
    assert counted == list(Standing.objects.order_by("pk").values())
    assert sum(row["final_cues"] for row in counted) > 0

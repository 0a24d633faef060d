"""Turns of players: roles alternate, nobody is blocked, and only rows of the database decide."""

from collections import Counter
from datetime import timedelta

import pytest
from django.http import QueryDict

from crowd.winogavil.domain import SOLVE
from crowd.winogavil.models import Association
from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.services import turns, web_games
from crowd.winogavil.services.withdrawal import report_cue
from hits.core.errors import InvalidAnswer, RuleBroken
from hits.people.services.blocking import block_worker
from hits.providers.models.accounts import Account
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import release_overdue
from scoring.models import RivalQuery
from tests.crowd.winogavil.game import put_cue
from tests.crowd.winogavil.play.table import make_game, make_player, play, take_turn, work_through
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
Role, Status = Turn.Role, Turn.Status


def begin(player: Player) -> Turn:
    turn = take_turn(player)
    assert turn is not None
    return turn


def test_new_player_begins_with_a_cue_of_their_own() -> None:
    player = make_player(make_game())

    turn = begin(player)

    work = turn.assignment
    assert (turn.role, work.status, work.worker) == (Role.CREATE, Assignment.Status.OPENED, player.worker)
    assert work.leases.get().item.picture_set.places.count() == 5
    assert work.hit.status == HIT.Status.CLOSED
    assert work.hit.look_at is None


def test_turn_is_the_same_after_a_reload_and_in_a_second_tab() -> None:
    player = make_player(make_game())
    first = begin(player)

    again = begin(player)

    assert again == first
    assert (Turn.objects.count(), Assignment.objects.count(), HIT.objects.count()) == (1, 1, 1)


def test_cue_is_followed_by_the_three_solves_that_others_need() -> None:
    game = make_game(picture_sets=6)
    others = [make_player(game) for _ in range(4)]
    for other in others:
        play(other)
    work_through()
    player = make_player(game)

    roles = [turn.role for _ in range(6) if (turn := play(player))]

    assert roles == [Role.CREATE, *[Role.SOLVE] * 3, Role.CREATE, Role.SOLVE]


def test_what_others_do_not_need_is_not_owed() -> None:
    game = make_game()
    player, other = make_player(game), make_player(game)
    play(other)
    work_through()

    roles = [turn.role for _ in range(3) if (turn := play(player))]

    assert roles == [Role.CREATE, Role.SOLVE, Role.CREATE]


def test_without_pictures_players_solve_what_there_is_and_then_are_told() -> None:
    game = make_game(picture_sets=1)
    player, other = make_player(game), make_player(game)
    play(player)
    play(other)
    work_through()

    played = [play(player), play(player)]

    assert [turn.role if turn else None for turn in played] == [Role.SOLVE, None]


def test_every_cue_is_final_in_the_least_number_of_solves() -> None:
    """Four sets with three spymasters each give 12 cues and 36 solves: none by its author, none twice."""
    game = make_game(picture_sets=4)
    players = [make_player(game) for _ in range(5)]

    rounds = 0
    while sum(play(player) is not None for player in players):
        work_through()
        rounds += 1

    solved = Lease.objects.filter(item__task=SOLVE, status=Lease.Status.ANSWERED)
    assert (Association.objects.count(), Association.objects.filter(final_at=None).count()) == (12, 0)
    assert Turn.objects.filter(role=Role.SOLVE).count() == 36
    assert set(Counter(solved.values_list("item", "worker")).values()) == {1}
    assert not any(lease.item.author_id == lease.worker_id for lease in solved.select_related("item"))
    assert not Item.objects.filter(wanted__gt=0).exists()
    assert rounds < 20


def test_handed_in_work_is_approved_at_once_and_marked_as_a_players() -> None:
    player = make_player(make_game())

    turn = play(player)
    work_through()

    assert turn
    work = turn.assignment
    work.refresh_from_db()
    assert (turn.status, work.status) == (Status.DONE, Assignment.Status.APPROVED)
    assert work.account.kind == Account.Kind.WEB
    association = Association.objects.get()
    assert (association.source, association.item.author) == ("player", player.worker)


def test_cue_that_was_not_tested_is_not_handed_in() -> None:
    player = make_player(make_game())
    turn = begin(player)

    with pytest.raises(InvalidAnswer, match="not put to the model"):
        turns.hand_in(player=player, work=str(turn.assignment.public_id), form=QueryDict(), now=NOW)

    turn.refresh_from_db()
    turn.assignment.refresh_from_db()
    assert (turn.status, turn.assignment.status) == (Status.OPEN, Assignment.Status.OPENED)


def test_players_invent_one_cue_in_a_turn() -> None:
    player = make_player(make_game())
    turn = begin(player)
    put_cue(turn.assignment, "winter")

    turns.hand_in(player=player, work=str(turn.assignment.public_id), form=QueryDict(), now=NOW)
    work_through()

    assert Association.objects.count() == 1


def test_stale_page_of_a_turn_that_is_over_changes_nothing() -> None:
    game = make_game()
    player = make_player(game)
    turn = play(player)
    assert turn
    begin(player)

    with pytest.raises(RuleBroken, match="submitted before"):
        turns.hand_in(player=player, work=str(turn.assignment.public_id), form=QueryDict(), now=NOW)

    assert Counter(Turn.objects.values_list("status", flat=True)) == {"done": 1, "open": 1}


def test_turn_whose_time_is_over_goes_back_to_others() -> None:
    player = make_player(make_game())
    turn = begin(player)
    later = turn.assignment.deadline_at

    following = take_turn(player, now=later)

    turn.refresh_from_db()
    turn.assignment.refresh_from_db()
    assert following
    assert following != turn
    assert (turn.status, turn.assignment.status) == (Status.LEFT, Assignment.Status.GONE)
    held = turn.assignment.leases.get()
    assert held.status == Lease.Status.RELEASED
    # An item that was seen and left is not offered again: there is no second chance with the model.
    assert following.assignment.leases.get().item != held.item


def test_turn_that_the_sweep_has_ended_is_followed_by_another() -> None:
    player = make_player(make_game())
    turn = begin(player)
    later = turn.assignment.deadline_at + timedelta(hours=1)

    released = release_overdue(now=later)
    following = take_turn(player, now=later)

    turn.refresh_from_db()
    assert released == 1
    assert following
    assert (turn.status, following.status) == (Status.LEFT, Status.OPEN)


def test_work_that_was_saved_by_a_process_that_died_is_handed_in() -> None:
    """The answer was saved first, as by a page of the frame."""
    player = make_player(make_game())
    turn = begin(player)
    rival_query = put_cue(turn.assignment, "winter")
    Assignment.objects.filter(pk=turn.assignment_id).update(
        status=Assignment.Status.SAVED, saved_at=NOW, answer={"cues": [str(rival_query.public_id)]}
    )

    following = take_turn(player)

    turn.refresh_from_db()
    turn.assignment.refresh_from_db()
    assert following != turn
    assert (turn.status, turn.assignment.status) == (Status.DONE, Assignment.Status.APPROVED)


def test_reported_cue_is_taken_away_from_whoever_has_it_open() -> None:
    game = make_game()
    author, player, reporter = (make_player(game) for _ in range(3))
    play(author)
    work_through()
    play(player)
    turn = begin(player)
    association = Association.objects.get()

    report_cue(association=association, worker=reporter.worker, reason="inappropriate", text="", now=NOW)
    following = begin(player)

    turn.refresh_from_db()
    assert (turn.role, turn.status) == (Role.SOLVE, Status.LEFT)
    assert following.role == Role.CREATE


def test_skipping_gives_other_pictures_until_the_model_was_asked() -> None:
    player = make_player(make_game())
    first = begin(player)

    turns.skip(player=player, work=str(first.assignment.public_id), now=NOW)
    second = begin(player)
    put_cue(second.assignment, "winter")
    with pytest.raises(RuleBroken, match="finish it first"):
        turns.skip(player=player, work=str(second.assignment.public_id), now=NOW)

    first.refresh_from_db()
    assert first.status == Status.LEFT
    assert first.assignment.leases.get().item != second.assignment.leases.get().item
    assert begin(player) == second


def test_solve_cannot_be_skipped() -> None:
    game = make_game()
    author, player = make_player(game), make_player(game)
    play(author)
    work_through()
    play(player)
    turn = begin(player)

    with pytest.raises(RuleBroken):
        turns.skip(player=player, work=str(turn.assignment.public_id), now=NOW)

    assert begin(player) == turn


def test_closed_game_lets_an_open_turn_end_and_none_begin() -> None:
    game = make_game()
    player, late = make_player(game), make_player(game)
    turn = begin(player)
    put_cue(turn.assignment, "winter")
    web_games.close_game(game=game, by=make_user(), now=NOW)
    late.game.refresh_from_db()

    done = turns.hand_in(player=player, work=str(turn.assignment.public_id), form=QueryDict(), now=NOW)
    with pytest.raises(RuleBroken, match="closed"):
        take_turn(late)

    assert done.status == Status.DONE
    assert Turn.objects.filter(player=late).count() == 0


def test_blocked_player_begins_nothing() -> None:
    player = make_player(make_game())
    block_worker(worker=player.worker, kind="soft", reason="spam", by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="cannot play"):
        take_turn(player)

    assert Turn.objects.count() == 0


def test_rival_query_of_a_turn_is_asked_once() -> None:
    player = make_player(make_game())
    turn = begin(player)

    rival_queries = [put_cue(turn.assignment, cue) for cue in ("winter", "summer")]

    assert rival_queries[0] == rival_queries[1]
    assert RivalQuery.objects.get().text == "winter"

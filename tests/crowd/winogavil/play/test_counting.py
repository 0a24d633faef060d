"""Players' figures: added once when a turn is final, rebuilt once a day, with the same result."""

from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from uuid import uuid4

import pytest

from crowd.winogavil.models import Association
from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Player, Standing, Turn, WebGame
from crowd.winogavil.play.queries import dashboards
from crowd.winogavil.play.services import accounts, player_figures
from crowd.winogavil.services.withdrawal import decide_report, report_cue
from hits.work.services.leasing import keep_out
from tests.crowd.winogavil.play.table import PASSWORD, make_game, make_player, play, work_through
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=6)


def play_rounds(players: Sequence[Player], rounds: int) -> None:
    for _ in range(rounds):
        for player in players:
            play(player, right=player.pk % 2 == 0, fools=player.pk % 3 != 0)
        work_through()


def figures(player: Player) -> dashboards.Figures:
    player.standing.refresh_from_db()
    return dashboards.figures_of(player)


def everything() -> list[object]:
    return list(Standing.objects.order_by("pk").values())


def test_turn_counts_once_it_is_final(game: WebGame) -> None:
    author, *solvers = [make_player(game) for _ in range(4)]
    play(author)
    work_through()
    player_figures.count_turns(now=NOW)
    open_figures = figures(author)
    for number, solver in enumerate(solvers):
        play(solver)
        play(solver, right=number > 0)
        work_through()

    counted = player_figures.count_turns(now=NOW)

    # What the model said is known at once, and what people find only when all have tried.
    assert (open_figures.cues, open_figures.open_cues) == (1, 1)
    assert (open_figures.fool, open_figures.solvable) == (Fraction(1), None)
    final = figures(author)
    assert (final.cues, final.open_cues, final.fool, final.solvable) == (1, 0, Fraction(1), Fraction(2, 3))
    assert [figures(solver).jaccard for solver in solvers] == [0, 1, 1]
    assert counted == 4


def test_counting_twice_adds_once(game: WebGame) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)
    player_figures.count_turns(now=NOW)
    before = everything()

    counted = player_figures.count_turns(now=NOW)

    assert (counted, everything()) == (0, before)


def test_figures_that_grew_bit_by_bit_are_those_that_are_rebuilt(game: WebGame) -> None:
    players = [make_player(game) for _ in range(5)]
    for _ in range(5):
        play_rounds(players, 1)
        player_figures.count_turns(now=NOW)
    grown = everything()

    Standing.objects.update(
        cues=0, solves=0, final_cues=9, fool_sum=9, solvable_parts=9, final_solves=9, jaccard_parts=9,
        creator_points=9, solver_points=9,
    )  # fmt: skip
    for player in players:
        player_figures.rebuild_standing(player_id=player.pk, now=NOW)

    assert everything() == grown
    assert sum(row.final_cues for row in Standing.objects.all()) > 3


def test_slices_lose_nobody(game: WebGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_figures, "SLICE", 2)
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)

    counted = player_figures.count_turns(now=NOW)

    assert counted > 4
    assert Turn.objects.filter(counted_at__isnull=False).count() == counted


def test_recheck_takes_those_whose_day_is_over(game: WebGame) -> None:
    players = [make_player(game) for _ in range(3)]
    player_figures.rebuild_standing(player_id=players[0].pk, now=LATER)

    checked = player_figures.recheck_standings(now=LATER)

    assert checked == 2
    assert set(Standing.objects.values_list("checked_at", flat=True)) == {LATER}
    assert player_figures.recheck_standings(now=LATER) == 0


def test_cue_that_staff_find_unfit_counts_no_more_and_again_when_they_change_their_mind(
    game: WebGame,
) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)
    player_figures.count_turns(now=NOW)
    association = Association.objects.filter(final_at__isnull=False).order_by("pk")[0]
    author = Player.objects.get(worker=association.item.author)
    before = figures(author).worth.final_cues

    report = report_cue(
        association=association, worker=players[-1].worker, reason="inappropriate", text="", now=NOW
    )
    decide_report(report=report, uphold=True, by=make_user(), now=NOW)
    player_figures.recheck_standings(now=LATER)
    without = figures(author).worth.final_cues
    decide_report(report=report, uphold=False, by=make_user(), now=NOW)
    player_figures.count_turns(now=LATER)

    assert (without, figures(author).worth.final_cues) == (before - 1, before)


def test_work_that_is_kept_out_of_the_data_counts_no_more(game: WebGame) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)
    player_figures.count_turns(now=NOW)
    turn = Turn.objects.filter(role=Turn.Role.SOLVE, counted_at__isnull=False).order_by("pk")[0]
    before = figures(turn.player).worth.final_solves

    keep_out(turn.assignment, now=NOW)
    work_through()
    player_figures.recheck_standings(now=LATER)

    turn.refresh_from_db()
    assert (figures(turn.player).worth.final_solves, turn.counted_at) == (before - 1, None)


def test_turns_of_whoever_has_left_are_counted_for_nobody(game: WebGame) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)
    accounts.erase(player=players[0], password=PASSWORD, place=uuid4().hex, now=NOW)

    player_figures.count_turns(now=NOW)

    assert not Standing.objects.filter(player=players[0]).exists()
    assert player_figures.count_turns(now=NOW) == 0


def test_days_tell_what_was_handed_in_and_what_became_final(game: WebGame) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 2)
    player_figures.count_turns(now=NOW)

    today, yesterday = dashboards.figures_of_days(players[0], now=NOW)
    _, before = dashboards.figures_of_days(players[0], now=LATER)

    assert (today.cues, today.solves) == (1, 1)
    assert yesterday.is_empty
    assert before == today


def test_own_page_lists_the_last_turns_in_few_queries(
    game: WebGame, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    players = [make_player(game) for _ in range(4)]
    play_rounds(players, 4)

    player = Player.objects.select_related("game__study__game").get(pk=players[0].pk)

    with django_assert_num_queries(6):  # type: ignore[operator]
        recent = dashboards.recent_turns(player)

    assert [past.turn.role for past in recent] == ["solve", "solve", "solve", "create"]
    assert {past.cue for past in recent} == {"winter"}
    assert recent[-1].worth is not None
    assert domain.fool_mean(recent[-1].worth) is not None


def test_models_stand_beside_people_once_an_hour(game: WebGame) -> None:
    play_rounds([make_player(game) for _ in range(4)], 4)

    counted = [player_figures.count_models(now=now) for now in (NOW, NOW, NOW + timedelta(hours=1))]

    game.refresh_from_db()
    assert counted == [1, 0, 1]
    assert {row["is_people"] for row in game.models_leaderboard} == {True, False}
    means = [row["mean"] for row in game.models_leaderboard]
    assert means == sorted(means, reverse=True)

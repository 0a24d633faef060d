"""What becomes due in the web game by the clock alone, and what idle sweeps cost."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from crowd.winogavil.play.models import DailyFeedback, PlayerSession, PracticeAsk, Standing, WebGame
from crowd.winogavil.play.services import accounts, letters, player_figures, practice_rounds
from crowd.winogavil.play.services.letters import next_feedback
from crowd.winogavil.play.services.player_figures import CHECKED_EVERY, MODELS_EVERY, next_check
from crowd.winogavil.play.services.practice_rounds import KEPT_FOR, WAITED_FOR, next_practice
from crowd.winogavil.play.services.retention import next_tidying
from hits.studies.models import Study
from scoring.services.rival_selection import default_rival
from tests.crowd.winogavil.play.table import make_game, make_player, play, work_through
from tests.factories import NOW, make_study, make_user
from tests.idle import watch

pytestmark = pytest.mark.django_db
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize("next_instant", [next_check, next_feedback, next_practice, next_tidying])
def test_nothing_is_due_where_nothing_waits(next_instant: Callable[..., datetime | None]) -> None:
    assert next_instant(now=NOW) is None


def test_figures_are_due_a_day_after_they_were_checked() -> None:
    game = make_game()
    for hours in (2, 1):
        Standing.objects.filter(player=make_player(game)).update(checked_at=NOW + hours * HOUR)
    due = NOW + HOUR + CHECKED_EVERY
    assert next_check(now=NOW) == due

    checked = [player_figures.recheck_standings(now=at) for at in (due - SECOND, due)]

    assert (checked, next_check(now=due)) == ([0, 1], due + HOUR)


def test_models_of_open_games_are_due_every_hour() -> None:
    game, closed = make_game(), make_game()
    WebGame.objects.filter(pk=closed.pk).update(is_open=False, models_counted_at=NOW - DAY)
    player_figures.count_models(now=NOW)
    due = NOW + MODELS_EVERY
    assert next_check(now=NOW) == due

    counted = [player_figures.count_models(now=at) for at in (due - SECOND, due)]

    assert (counted, next_check(now=due)) == ([0, 1], due + MODELS_EVERY)
    WebGame.objects.filter(pk=game.pk).update(is_open=False)
    assert next_check(now=due) is None


def switch_on(study: Study, *, hour: int = 8, told: date | None) -> DailyFeedback:
    return DailyFeedback.objects.create(study=study, is_on=True, hour=hour, by=make_user(), told_day=told)


def test_letters_are_due_at_the_hour_of_the_first_day_of_which_nobody_was_told() -> None:
    setting = switch_on(make_study(time_zone="America/New_York"), told=NOW.date() - DAY)
    due = datetime(2026, 11, 22, 13, 0, tzinfo=UTC)
    assert next_feedback(now=NOW) == due

    for at, told in ((due - SECOND, NOW.date() - DAY), (due, NOW.date())):
        letters.send_feedback(now=at)
        setting.refresh_from_db()
        assert setting.told_day == told

    assert next_feedback(now=due) == due + DAY


@pytest.mark.parametrize(
    ("told", "now", "due"),
    [
        pytest.param(None, 9, datetime(2026, 11, 21, 8, 0, tzinfo=UTC), id="due since this morning"),
        pytest.param(None, 7, datetime(2026, 11, 21, 8, 0, tzinfo=UTC), id="later today"),
        pytest.param(date(2026, 11, 1), 7, datetime(2026, 11, 21, 8, 0, tzinfo=UTC), id="was away for long"),
        pytest.param(date(2026, 11, 20), 9, datetime(2026, 11, 22, 8, 0, tzinfo=UTC), id="tomorrow"),
    ],
)
def test_letters_of_days_long_gone_are_not_waited_for(told: date | None, now: int, due: datetime) -> None:
    switch_on(make_study(time_zone="UTC"), told=told)

    assert next_feedback(now=NOW.replace(hour=now)) == due


@pytest.mark.parametrize(
    ("day", "hour", "due"),
    [
        pytest.param(date(2026, 3, 29), 2, datetime(2026, 3, 29, 1, 0, tzinfo=UTC), id="skipped"),
        pytest.param(date(2026, 10, 25), 2, datetime(2026, 10, 25, 0, 0, tzinfo=UTC), id="twice"),
    ],
)
def test_letters_are_due_when_the_clocks_change(day: date, hour: int, due: datetime) -> None:
    switch_on(make_study(time_zone="Europe/Berlin"), hour=hour, told=day - 2 * DAY)
    before = due - HOUR
    assert next_feedback(now=before) == due

    letters.send_feedback(now=due - SECOND)
    early = DailyFeedback.objects.get().told_day
    letters.send_feedback(now=due)

    assert (early, DailyFeedback.objects.get().told_day) == (day - 2 * DAY, day - DAY)


def test_study_without_letters_is_due_never() -> None:
    DailyFeedback.objects.create(study=make_study(), is_on=False, by=make_user(), told_day=None)

    assert next_feedback(now=NOW) is None


def make_ask(*, at: datetime = NOW, answered_at: datetime | None = None) -> PracticeAsk:
    return PracticeAsk.objects.create(
        player=make_player(make_game()),
        rival=default_rival(),
        text="snow",
        pictures=[],
        chosen=[],
        asked_at=at,
        answered_at=answered_at,
    )


def test_practice_is_due_for_as_long_as_somebody_waits() -> None:
    make_ask()
    make_ask(at=NOW - HOUR, answered_at=NOW)

    assert next_practice(now=NOW + WAITED_FOR - SECOND) == NOW
    assert next_practice(now=NOW + WAITED_FOR) is None


def test_practice_and_sessions_are_forgotten_when_their_time_is_over() -> None:
    ask = make_ask()
    PlayerSession.objects.all().delete()
    assert next_tidying(now=NOW) == NOW + KEPT_FOR
    token = accounts.sign_in(player=ask.player, now=NOW - accounts.SESSION_LIFE + HOUR)
    assert next_tidying(now=NOW) == NOW + HOUR

    accounts.forget_sessions(now=NOW + HOUR - SECOND)
    assert accounts.find_session_player(token=token, now=NOW)
    accounts.forget_sessions(now=NOW + HOUR)
    forgotten = [practice_rounds.forget_practice(now=NOW + KEPT_FOR - left) for left in (SECOND, SECOND * 0)]

    assert (PlayerSession.objects.count(), forgotten, next_tidying(now=NOW)) == (0, [0, 1], None)


SWEEPS: list[tuple[Callable[[], object], int]] = [
    (lambda: player_figures.count_turns(now=NOW), 1),
    (lambda: player_figures.recheck_standings(now=NOW), 1),
    (lambda: player_figures.count_models(now=NOW), 1),
    (lambda: practice_rounds.answer_practice(now=NOW), 1),
    (lambda: letters.send_feedback(now=NOW), 1),
    (lambda: practice_rounds.forget_practice(now=NOW), 1),
    (lambda: accounts.forget_sessions(now=NOW), 1),
]


@pytest.mark.parametrize(("run", "queries"), SWEEPS)
def test_sweep_that_finds_nothing_asks_little_and_writes_nothing(
    run: Callable[[], object], queries: int
) -> None:
    game = make_game()
    player = make_player(game)
    accounts.sign_in(player=player, now=NOW)
    play(player)
    play(make_player(game))
    work_through()
    player_figures.count_turns(now=NOW)
    player_figures.count_models(now=NOW)
    switch_on(game.study, told=NOW.date() - DAY)

    idle = watch(run)

    assert (idle.queries, idle.writes) == (queries, [])

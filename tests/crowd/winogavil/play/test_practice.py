"""Practice: the real rival, picture sets of its own, one chance a page, and no trace in the data."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_reports import report_picture
from crowd.winogavil.models import Association, PictureSet, PictureSetPlace
from crowd.winogavil.play.models import Player, PracticeAsk, PracticeSet, WebGame
from crowd.winogavil.play.services import practice_rounds, web_games
from hits.common import rates
from hits.core.errors import InvalidAnswer, RuleBroken
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from scoring.models import PendingQuery, RivalQuery, Verdict
from tests.crowd.winogavil.play.table import make_game, make_player
from tests.factories import NOW, make_picture, make_user
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def game() -> WebGame:
    """A game with more pictures than its picture sets use."""
    for _ in range(7):
        make_picture()
    return make_game(picture_sets=1)


@pytest.fixture
def player(game: WebGame) -> Player:
    return make_player(game)


def ask(player: Player, *, key: UUID | None = None, text: str = "winter") -> PracticeAsk:
    found = practice_rounds.find_practice_set(game=player.game, number=1)
    assert found
    return practice_rounds.ask(
        player=player, key=key or uuid4(), pictures=found[1], text=text, chosen=[0, 2], now=NOW
    )


def test_sets_are_drawn_once_of_pictures_on_no_picture_set(game: WebGame) -> None:
    web_games.close_game(game=game, by=make_user(), now=NOW)
    web_games.open_game(game=game, by=make_user(), now=NOW)

    sets = list(game.practice_sets.prefetch_related("pictures"))

    shown = {picture.pk for one in sets for picture in one.pictures.all()}
    assert [one.number for one in sets] == list(range(1, practice_rounds.SETS + 1))
    assert {one.pictures.count() for one in sets} == {5}
    assert not shown & set(PictureSetPlace.objects.values_list("picture", flat=True))


def test_pool_that_is_too_small_has_no_practice() -> None:
    player = make_player(make_game(picture_sets=0))

    assert PracticeSet.objects.count() == 0
    assert practice_rounds.find_practice_set(game=player.game, number=1) is None


def test_verdict_is_the_rivals_own(player: Player, fake: type[FakeRival]) -> None:
    asked = ask(player)

    waiting = practice_rounds.state_of(asked, now=NOW)
    answered = practice_rounds.answer_practice(now=NOW)
    asked.refresh_from_db()

    state = practice_rounds.state_of(asked, now=NOW)
    assert (waiting["state"], answered, state["state"]) == ("waiting", 1, "answered")
    assert len(state["predicted"]) == 2
    overlap = len(set(state["predicted"]) & {0, 2})
    assert state["fool"] == {0: 100, 1: 67, 2: 0}[overlap]


def test_practice_leaves_nothing_in_the_data(player: Player, fake: type[FakeRival]) -> None:
    tables = (RivalQuery, PendingQuery, Verdict, Association, Item, HIT, Assignment, PictureSet)
    before = [table.objects.count() for table in tables]

    ask(player)
    practice_rounds.answer_practice(now=NOW)

    assert [table.objects.count() for table in tables] == before
    # The rival does not even keep the words.
    assert not any("winter" in str(row) for row in Verdict.objects.values())


def test_page_has_one_chance(player: Player) -> None:
    key = uuid4()

    first, second = (ask(player, key=key, text=text) for text in ("winter", "summer"))

    assert (first, second.text) == (second, "winter")
    assert PracticeAsk.objects.count() == 1


@pytest.mark.parametrize("text", ["two words", "x", "x1", ""])
def test_practice_has_the_rules_of_the_game(player: Player, text: str) -> None:
    with pytest.raises(InvalidAnswer):
        ask(player, text=text)

    assert PracticeAsk.objects.count() == 0


def test_name_of_a_picture_is_no_cue_in_practice_either(player: Player) -> None:
    Picture.objects.update(concept="snow")

    with pytest.raises(InvalidAnswer, match="names one of the pictures"):
        ask(player, text="Snow")


def test_practice_of_a_day_ends(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
    monkeypatch.setattr(practice_rounds, "MOST_A_DAY", 2)
    ask(player)
    ask(player)

    with pytest.raises(RuleBroken, match="Now play the real game"):
        ask(player)

    assert PracticeAsk.objects.count() == 2


def test_set_with_a_reported_picture_is_passed_over(player: Player) -> None:
    first = practice_rounds.find_practice_set(game=player.game, number=1)
    assert first
    reported = first[1][0]

    report_picture(picture=reported, reason="inappropriate", by_worker=player.worker.pseudonym, now=NOW)
    found = practice_rounds.find_practice_set(game=player.game, number=1)

    assert found is None or reported not in found[1]


def test_practice_is_forgotten_after_a_day(player: Player) -> None:
    ask(player)

    kept = practice_rounds.forget_practice(now=NOW + practice_rounds.KEPT_FOR - timedelta(seconds=1))
    gone = practice_rounds.forget_practice(now=NOW + practice_rounds.KEPT_FOR)

    assert (kept, gone, PracticeAsk.objects.count()) == (0, 1, 0)


def test_rival_that_is_down_is_asked_for_as_long_as_somebody_waits(
    player: Player, fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(player)
    monkeypatch.setattr(fake, "down", True)

    while_down = practice_rounds.answer_practice(now=NOW)
    monkeypatch.setattr(fake, "down", False)
    too_late = practice_rounds.answer_practice(now=NOW + practice_rounds.WAITED_FOR)
    in_time = practice_rounds.answer_practice(now=NOW + timedelta(minutes=1))

    assert (while_down, too_late, in_time) == (0, 0, 1)
    assert practice_rounds.state_of(asked, now=NOW + timedelta(minutes=1))["state"] == "late"

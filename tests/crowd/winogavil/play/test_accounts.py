"""Accounts of players: registering, consenting, signing in and leaving."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import identify_hasher

from config import settings as product
from config.copies.putting_back import begin_epochs
from crowd.winogavil.models import Association
from crowd.winogavil.play.models import Consent, ConsentText, Player, PlayerSession, Standing, Turn, WebGame
from crowd.winogavil.play.services import accounts, web_games
from hits.common import rates
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from tests.crowd.winogavil.play.table import PASSWORD, make_game, make_player, play, take_turn, work_through
from tests.factories import NOW, make_picture, make_study, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> WebGame:
    return make_game()


def register(game: WebGame, *, name: str = "Owl", agreed_to: int = 1, place: str = "") -> Player:
    return accounts.register(
        game=game, name=name, password=PASSWORD, agreed_to=agreed_to, place=place or uuid4().hex, now=NOW
    )


def test_registered_player_is_a_worker_of_the_web_account_without_personal_data(game: WebGame) -> None:
    player = register(game)

    assert (player.worker.account, player.name) == (game.account, "Owl")
    assert "Owl" not in player.worker.external_id
    assert list(Consent.objects.values_list("player", "text__version", "given_at")) == [(player.pk, 1, NOW)]


def test_password_is_kept_as_the_settings_say(game: WebGame, settings: LazySettings) -> None:
    settings.PASSWORD_HASHERS = product.PASSWORD_HASHERS

    player = register(game)

    assert identify_hasher(player.password).algorithm == "argon2"


@pytest.mark.parametrize("other", ["owl", "OWL", "Ｏｗｌ"])
def test_name_is_given_once_however_it_is_written(game: WebGame, other: str) -> None:
    register(game)

    with pytest.raises(RuleBroken, match="has this name"):
        register(game, name=other)

    assert (Player.objects.count(), Worker.objects.filter(account=game.account).count()) == (1, 1)


def test_agreeing_to_a_text_that_counts_no_more_registers_nobody(game: WebGame) -> None:
    web_games.write_consent(game=game, text="Another text.", by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="changed meanwhile"):
        register(game, agreed_to=1)

    assert (Player.objects.count(), Consent.objects.count()) == (0, 0)


def test_new_text_asks_everybody_anew(game: WebGame) -> None:
    player = make_player(game)
    assert accounts.text_to_agree_to(player) is None

    made = web_games.write_consent(game=game, text="Another text.", by=make_user(), now=NOW)
    asked = accounts.text_to_agree_to(player)
    accounts.agree(player=player, version=2, now=NOW)
    accounts.agree(player=player, version=2, now=NOW)

    assert asked == made
    assert accounts.text_to_agree_to(player) is None
    assert list(player.consents.order_by("pk").values_list("text__version", flat=True)) == [1, 2]


def test_same_text_again_is_no_new_version(game: WebGame) -> None:
    web_games.write_consent(game=game, text="We keep words and picks.\r\n", by=make_user(), now=NOW)

    assert ConsentText.objects.get().version == 1


def test_game_is_not_opened_without_a_consent_text() -> None:
    game = web_games.make_web_game(study=make_study(), title="Fool it", by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="consent text first"):
        web_games.open_game(game=game, by=make_user(), now=NOW)

    game.refresh_from_db()
    assert (game.is_open, game.opened_at) == (False, None)


def test_making_opening_and_closing_are_on_record() -> None:
    for _ in range(5):
        make_picture()
    game = make_game()
    web_games.close_game(game=game, by=make_user(), now=NOW)
    web_games.close_game(game=game, by=make_user(), now=NOW)

    kinds = AuditEvent.objects.filter(study=game.study).order_by("pk").values_list("kind", flat=True)

    assert list(kinds) == [
        "web_game.made",
        "web_game.consent_written",
        "web_game.opened",
        "web_game.closed",
    ]


def test_study_has_one_web_game(game: WebGame) -> None:
    again = web_games.make_web_game(study=game.study, title="Another", by=make_user(), now=NOW)

    assert (again, again.title) == (game, "Fool it")


def test_password_lets_in_by_any_spelling_of_the_name(game: WebGame) -> None:
    player = register(game)

    found = accounts.find_by_password(name="oWL", password=PASSWORD, place=uuid4().hex)

    assert found == player


@pytest.mark.parametrize(("name", "password"), [("Owl", "wrong"), ("Cat", PASSWORD), ("\0", ""), ("", "")])
def test_wrong_name_or_password_lets_nobody_in(game: WebGame, name: str, password: str) -> None:
    register(game)

    assert accounts.find_by_password(name=name, password=password, place=uuid4().hex) is None


def test_guessing_from_one_address_ends_and_shuts_nobody_else_out(
    game: WebGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = register(game)
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
    place = uuid4().hex
    for _ in range(accounts.MOST_OF_PAIR):
        accounts.find_by_password(name="Owl", password="wrong", place=place)

    with pytest.raises(accounts.TooMany):
        accounts.find_by_password(name="Owl", password=PASSWORD, place=place)

    assert accounts.find_by_password(name="Owl", password=PASSWORD, place=uuid4().hex) == player


def test_registrations_from_one_address_end(game: WebGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
    monkeypatch.setattr(accounts, "REGISTRATIONS_AN_HOUR", 1)
    place = uuid4().hex
    register(game, place=place)

    with pytest.raises(accounts.TooMany):
        register(game, name="Cat", place=place)

    assert Player.objects.count() == 1


def test_session_ends_with_its_time_and_with_signing_out(game: WebGame) -> None:
    player = register(game)
    token, other = (accounts.sign_in(player=player, now=NOW) for _ in range(2))

    found = accounts.find_session_player(token=token, now=NOW)
    accounts.sign_out(token=other)

    end = NOW + accounts.SESSION_LIFE
    assert found == player
    assert accounts.find_session_player(token=token, now=end) is None
    assert accounts.find_session_player(token=other, now=NOW) is None
    assert token not in PlayerSession.objects.get().token_digest


def test_whoever_was_signed_in_when_a_copy_was_taken_is_signed_out_by_putting_it_back(game: WebGame) -> None:
    token = accounts.sign_in(player=register(game), now=NOW)

    begin_epochs(["default"], copied_at={})

    assert accounts.find_session_player(token=token, now=NOW) is None


def test_sessions_of_one_player_are_few_and_old_ones_are_forgotten(game: WebGame) -> None:
    player = register(game)
    for _ in range(accounts.SESSIONS + 3):
        accounts.sign_in(player=player, now=NOW)

    kept = player.sessions.count()
    accounts.forget_sessions(now=NOW + accounts.SESSION_LIFE - timedelta(seconds=1))
    still = player.sessions.count()
    accounts.forget_sessions(now=NOW + accounts.SESSION_LIFE)

    assert (kept, still, player.sessions.count()) == (accounts.SESSIONS, accounts.SESSIONS, 0)


def test_erasing_takes_name_and_password_and_leaves_data_under_a_pseudonym(game: WebGame) -> None:
    player = make_player(game, name="Owl")
    play(player)
    work_through()
    take_turn(player)
    accounts.sign_in(player=player, now=NOW)

    accounts.erase(player=player, password=PASSWORD, place=uuid4().hex, now=NOW)

    player.refresh_from_db()
    assert (player.name, player.name_key, player.password, player.erased_at) == ("", None, "", NOW)
    assert (player.sessions.count(), Standing.objects.filter(player=player).count()) == (0, 0)
    assert Association.objects.get().item.author == player.worker
    assert Turn.objects.filter(status=Turn.Status.OPEN).count() == 0
    assert Assignment.objects.filter(status=Assignment.Status.OPENED).count() == 0
    assert accounts.find_by_password(name="Owl", password=PASSWORD, place=uuid4().hex) is None
    assert register(game, name="Owl") != player


def test_erasing_asks_for_the_password(game: WebGame) -> None:
    player = make_player(game, name="Owl")

    with pytest.raises(RuleBroken, match="not your password"):
        accounts.erase(player=player, password="wrong", place=uuid4().hex, now=NOW)

    player.refresh_from_db()
    assert (player.name, player.erased_at) == ("Owl", None)


def test_session_opened_while_the_account_is_erased_is_refused(game: WebGame) -> None:
    player = make_player(game, name="Owl")
    accounts.erase(player=player, password=PASSWORD, place=uuid4().hex, now=NOW)

    with pytest.raises(RuleBroken, match="deleted"):
        accounts.sign_in(player=player, now=NOW)

    assert PlayerSession.objects.count() == 0

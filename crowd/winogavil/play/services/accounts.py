"""Accounts of players: registering, signing in, agreeing to the consent text, and leaving."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.db.models import Min
from django.utils.translation import gettext as _

from crowd.winogavil.play import domain
from crowd.winogavil.play.models import (
    Consent,
    ConsentText,
    Player,
    PlayerSession,
    Standing,
    WebGame,
)
from crowd.winogavil.play.services.turns import leave_open_turn
from hits.common import rates
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker

SESSION_LIFE = timedelta(days=14)
SESSIONS = 10  # at most, of one player; the oldest ends
WINDOW_S = 900
# Most attempts to sign in: for a name from one address, for a name, from one address (a school has one).
MOST_OF_PAIR, MOST_OF_NAME, MOST_OF_PLACE = 10, 500, 200
REGISTRATIONS_AN_HOUR = 20
HOUR_S = 3600
log = structlog.get_logger()


class TooMany(RuleBroken):
    """Refusal after too many attempts: even a correct one is not tried now."""

    def __init__(self, message: str) -> None:
        super().__init__("too_many", message)


def register(*, game: WebGame, name: str, password: str, agreed_to: int, place: str, now: datetime) -> Player:
    """Register a player who read version `agreed_to` of the text. Raises RuleBroken, registering nobody."""
    if not rates.spend("play.register", place, most=REGISTRATIONS_AN_HOUR, window_s=HOUR_S):
        raise TooMany(_("Many people have registered from here within the hour. Please come back later."))
    encoded = make_password(password)
    try:
        with transaction.atomic():
            text = _text_agreed_to(game, agreed_to)
            player = _make_player(game, name=name, encoded=encoded, now=now)
            Consent.objects.create(player=player, text=text, given_at=now)
    except IntegrityError:
        raise RuleBroken("name_taken", _("Somebody else has this name. Choose another one.")) from None
    log.info("player.registered", player=str(player.public_id))
    return player


def find_by_password(*, name: str, password: str, place: str) -> Player | None:
    """Find a player; unknown names and wrong passwords look alike, also by the time taken. Raises TooMany."""
    key = "" if "\0" in name else domain.name_key(name)[:200]
    tries = [(f"{place}\n{key}", MOST_OF_PAIR), (key, MOST_OF_NAME), (place, MOST_OF_PLACE)]
    for number, (of, most) in enumerate(tries):
        if not rates.spend(f"play.sign_in.{number}", of, most=most, window_s=WINDOW_S):
            raise TooMany(_("That was tried very often just now. Please wait a quarter of an hour."))
    player = Player.objects.filter(name_key=key).select_related("game__study", "worker").first()
    # An unknown name is checked against a hash that nothing fits, which takes as long.
    known = player.password if player else make_password(None)
    return player if check_password(password, known) and player else None


def sign_in(*, player: Player, now: datetime) -> str:
    """Open a new session and return the token for its cookie. Raises RuleBroken if the account is deleted."""
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        if _lock(player).erased_at:
            raise RuleBroken("erased", _("This account was deleted. Nobody can sign in to it any more."))
        kept = player.sessions.filter(expires_at__gt=now).order_by("-pk").values_list("pk", flat=True)
        player.sessions.exclude(pk__in=list(kept[: SESSIONS - 1])).delete()
        PlayerSession.objects.create(
            player=player, token_digest=_digest(token), made_at=now, expires_at=now + SESSION_LIFE
        )
    return token


def find_session_player(*, token: str, now: datetime) -> Player | None:
    sessions = PlayerSession.objects.filter(token_digest=_digest(token), expires_at__gt=now)
    found = sessions.select_related("player__game__study__game", "player__worker", "player__standing").first()
    return found.player if found else None


def sign_out(*, token: str) -> None:
    PlayerSession.objects.filter(token_digest=_digest(token)).delete()


def forget_sessions(*, now: datetime) -> None:
    """Delete the sessions that have expired."""
    PlayerSession.objects.filter(expires_at__lte=now).delete()


def next_session_end(*, now: datetime) -> datetime | None:
    """Instant when the next session expires."""
    first: datetime | None = PlayerSession.objects.aggregate(first=Min("expires_at"))["first"]
    return first


def text_to_agree_to(player: Player) -> ConsentText | None:
    """The consent text in force if this player has not agreed to it; None if there is nothing to agree to."""
    text = player.game.consent_text
    return text if text and not Consent.objects.filter(player=player, text=text).exists() else None


def agree(*, player: Player, version: int, now: datetime) -> None:
    """Record the player's agreement; idempotent. Raises RuleBroken if another text is in force meanwhile."""
    with transaction.atomic():
        text = _text_agreed_to(player.game, version)
        Consent.objects.get_or_create(player=player, text=text, defaults={"given_at": now})


def erase(*, player: Player, password: str, place: str, now: datetime) -> None:
    """Erase name, password and sessions for good; what was played stays under a pseudonym. Idempotent."""
    if find_by_password(name=player.name, password=password, place=place) != player:
        raise RuleBroken("wrong_password", _("This is not your password. Nothing was deleted."))
    leave_open_turn(player=player, now=now)
    forget(player=player, now=now)


def forget(*, player: Player, now: datetime) -> None:
    """Erase name, password and sessions. Idempotent."""
    with transaction.atomic():
        if _lock(player).erased_at:
            return
        gone = {"name": "", "name_key": None, "password": "", "erased_at": now}
        Player.objects.filter(pk=player.pk).update(**gone)
        player.sessions.all().delete()
        Standing.objects.filter(player=player).delete()
    log.info("player.erased", player=str(player.public_id))


def _make_player(game: WebGame, *, name: str, encoded: str, now: datetime) -> Player:
    """Make a player whose worker has a random id: it says nothing, and nobody can be found by it."""
    worker = Worker.objects.known(account=game.account, external_id=f"WEB{secrets.token_hex(16).upper()}")
    player = Player.objects.create(
        game=game,
        worker=worker,
        name=name,
        name_key=domain.name_key(name),
        password=encoded,
        registered_at=now,
    )
    Standing.objects.create(player=player, game=game, checked_at=now)
    return player


def _text_agreed_to(game: WebGame, version: int) -> ConsentText:
    """The text in force, under the game's lock: a new text waits. Raises RuleBroken if it is another."""
    held = WebGame.objects.select_for_update(no_key=True).get(pk=game.pk)
    text = held.consent_text
    if text is None or text.version != version:
        raise RuleBroken("other_text", _("The text has changed meanwhile. Please read it once more."))
    return text


def _lock(player: Player) -> Player:
    return Player.objects.select_for_update(no_key=True).get(pk=player.pk)


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()

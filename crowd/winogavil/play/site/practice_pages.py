"""Practice: the game's own page, with a token that leads to no item."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from crowd.frame.json_views import MOST_BYTES, refuse
from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.play.models import Player
from crowd.winogavil.play.services import practice_rounds
from crowd.winogavil.play.site.session import player_required, show
from crowd.winogavil.services.reports import picture_target
from hits.common import rates
from hits.core import crypto
from hits.core.errors import InvalidAnswer, RuleBroken

Said = Mapping[str, Any]
Verb = Callable[[HttpRequest, Player, UUID, int, datetime], Said]
LIFE_S = 3600
WINDOW_S, MOST_LOOKS = 60, 300


@require_safe
@player_required
def practice(request: HttpRequest, player: Player, number: int = 1) -> HttpResponse:
    found = practice_rounds.find_practice_set(game=player.game, number=number)
    if found is None:
        return show(request, "no_practice", player)
    number, pictures = found
    token = {
        "practice": str(uuid4()),
        "player": str(player.public_id),
        "set": number,
        "expires": timezone.now().timestamp() + LIFE_S,
    }
    context = {
        "pictures": [{"url": f"/pictures/{picture.key}/"} for picture in pictures],
        "slot": {"number": 1},
        "fewest": domain.FEWEST_CHOSEN,
        "most": domain.MOST_CHOSEN[len(pictures)],
        "token": crypto.sign_page(token),
        "work": token["practice"],
        "reports": [picture_target(one.key, number=place) for place, one in enumerate(pictures, start=1)],
        "report_url": reverse("play:practice_report"),
        "number": number,
        "next": number + 1,
    }
    return show(request, "practice", player, context)


@csrf_exempt
@never_cache
@require_POST
def ask(request: HttpRequest) -> JsonResponse:
    return _speak(request, verb=_ask)


@csrf_exempt
@never_cache
@require_POST
def verdict(request: HttpRequest) -> JsonResponse:
    return _speak(request, verb=_look)


@csrf_exempt
@never_cache
@require_POST
def report(request: HttpRequest) -> JsonResponse:
    return _speak(request, verb=_report)


def _speak(request: HttpRequest, *, verb: Verb) -> JsonResponse:
    """Answer in JSON, authorized by the page's token; no cookie is read."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        return refuse(_("That is too much for one question."), status=413)
    now = timezone.now()
    try:
        player, key, number = _read_token(request.POST.get("token", ""), now=now)
    except (signing.BadSignature, KeyError, Player.DoesNotExist):
        return refuse(_("This page is too old. Please reload it."), status=403)
    with translation.override(player.game.study.language):
        if not rates.spend("play.look", str(key), most=MOST_LOOKS, window_s=WINDOW_S):
            return refuse(_("Please wait a moment before you ask again."), status=429)
        try:
            return JsonResponse(verb(request, player, key, number, now))
        except (InvalidAnswer, RuleBroken) as problem:
            return refuse(str(problem), status=400 if isinstance(problem, InvalidAnswer) else 409)


def _ask(request: HttpRequest, player: Player, key: UUID, number: int, now: datetime) -> Said:
    found = practice_rounds.find_practice_set(game=player.game, number=number)
    if found is None or found[0] != number:
        raise InvalidAnswer(_("A picture of this page was taken away. Please go on to the next page."))
    pictures: Sequence[Picture] = found[1]
    asked = practice_rounds.ask(
        player=player,
        key=key,
        pictures=pictures,
        text=request.POST.get("cue", "").strip(),
        chosen=_read_places(request.POST.getlist("chosen"), size=len(pictures)),
        now=now,
    )
    return practice_rounds.state_of(asked, now=now)


def _look(request: HttpRequest, player: Player, key: UUID, number: int, now: datetime) -> Said:
    asked = practice_rounds.find_ask(player=player, key=key)
    if asked is None:
        raise InvalidAnswer(_("The model was not asked about this word."))
    return practice_rounds.state_of(asked, now=now)


def _report(request: HttpRequest, player: Player, key: UUID, number: int, now: datetime) -> Said:
    """Report a picture of this page; crowd.pictures limits how many a player may report in a day."""
    practice_rounds.report(
        player=player,
        number=number,
        about=request.POST.get("about", ""),
        reason=request.POST.get("reason", ""),
        text=request.POST.get("text", ""),
        now=now,
    )
    return {"words": _("Thank you. Nobody is shown it until a person has looked at it.")}


def _read_token(token: str, *, now: datetime) -> tuple[Player, UUID, int]:
    payload = crypto.read_page(token)
    key = UUID(payload["practice"])
    if now.timestamp() >= payload["expires"]:
        raise signing.BadSignature("Expired.")
    players = Player.objects.select_related("game__study").filter(erased_at=None)
    return players.get(public_id=payload["player"]), key, int(payload["set"])


def _read_places(values: Sequence[str], *, size: int) -> list[int]:
    if not all(value.isascii() and value.isdigit() and int(value[:4]) < size for value in values):
        raise InvalidAnswer(_("A picture was chosen that is not on this page. Please reload it."))
    return sorted({int(value) for value in values})

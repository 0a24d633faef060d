"""Sessions of players, and what every page checks first."""

from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from crowd.winogavil.play.models import Player
from crowd.winogavil.play.services import accounts
from hits.common.client_address import address_of
from hits.core.errors import CrowdError, InvalidAnswer

COOKIE = settings.PLAY_COOKIES.format("player_session")
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Player, P], HttpResponse]
Open = Callable[Concatenate[HttpRequest, P], HttpResponse]


def anybody(view: Open[P]) -> Open[P]:
    """Decorate a page that needs no player to be signed in. No such page is cached on its way."""

    @csrf_protect
    @never_cache
    def shown(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return view(request, *args, **kwargs)

    return shown


def player_known(view: View[P]) -> Open[P]:
    """Pass the signed-in player to the view, in the study's language; others are sent to the sign-in page."""

    @anybody
    def signed_in(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        player = find_player(request)
        if player is None:
            return redirect("play:sign_in")
        study = player.game.study
        with translation.override(study.language), timezone.override(study.time_zone):
            try:
                return view(request, player, *args, **kwargs)
            except CrowdError as problem:
                status = 400 if isinstance(problem, InvalidAnswer) else 409
                return show(request, "problem", player, {"problem": problem}, status=status)

    return signed_in


def player_required(view: View[P]) -> Open[P]:
    """Like player_known, but ask first for agreement to the consent text in force."""

    @player_known
    def agreed(request: HttpRequest, player: Player, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if accounts.text_to_agree_to(player):
            return redirect("play:consent")
        return view(request, player, *args, **kwargs)

    return agreed


def find_player(request: HttpRequest) -> Player | None:
    token = request.COOKIES.get(COOKIE, "")
    return accounts.find_session_player(token=token, now=timezone.now()) if token else None


def open_session(request: HttpRequest, response: HttpResponse, player: Player) -> None:
    """Open a new session; the one that this browser had before ends."""
    accounts.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response.set_cookie(
        COOKIE,
        accounts.sign_in(player=player, now=timezone.now()),
        max_age=accounts.SESSION_LIFE,
        httponly=True,
        secure=settings.PLAY_URL.startswith("https:"),
        samesite="Lax",
    )


def end_session(request: HttpRequest, response: HttpResponse) -> None:
    accounts.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response.delete_cookie(COOKIE)


def show(
    request: HttpRequest,
    name: str,
    player: Player | None,
    context: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    values = {"player": player, "game": player.game if player else None, **(context or {})}
    return render(request, f"play/{name}.html", values, status=status)


def place_of(request: HttpRequest) -> str:
    """Network address a request comes from; the 2**64 IPv6 addresses of one line count as one."""
    address = address_of(request)
    return ":".join(address.split(":")[:4]) if ":" in address else address

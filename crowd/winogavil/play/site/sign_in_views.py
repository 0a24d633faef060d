"""Pages on which players register, sign in, agree to the consent text, and leave."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from crowd.winogavil.play.models import Player, WebGame
from crowd.winogavil.play.services import accounts
from crowd.winogavil.play.site.forms import Agreement, Registration
from crowd.winogavil.play.site.session import (
    anybody,
    end_session,
    find_player,
    open_session,
    place_of,
    player_known,
    show,
)
from hits.core.errors import RuleBroken

READS = ["GET", "HEAD", "POST"]


@require_http_methods(READS)
@anybody
def register(request: HttpRequest, game_id: UUID) -> HttpResponse:
    game = get_object_or_404(WebGame.objects.select_related("study"), public_id=game_id)
    with translation.override(game.study.language):
        text = game.consent_text
        if not game.is_open or text is None:
            return show(request, "closed", None, {"game": game}, status=409)
        form = Registration(request.POST if request.method == "POST" else None)
        if form.is_valid() and (player := _register(request, game, form)):
            return _let_in(request, player)
        context = {"form": form, "game": game, "text": text}
        return show(request, "register", None, context, status=422 if form.errors else 200)


@require_http_methods(READS)
@anybody
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return redirect("play:home") if find_player(request) else show(request, "sign_in", None)
    name = request.POST.get("name", "")
    try:
        player = accounts.find_by_password(
            name=name, password=request.POST.get("password", ""), place=place_of(request)
        )
    except accounts.TooMany as refusal:
        return show(request, "sign_in", None, {"reason": refusal, "name": name}, status=429)
    if player:
        return _let_in(request, player)
    reason = _("Name and password do not fit together. Check both and try again.")
    return show(request, "sign_in", None, {"reason": reason, "name": name}, status=422)


@require_POST
@anybody
def sign_out(request: HttpRequest) -> HttpResponse:
    response = redirect("play:home")
    end_session(request, response)
    return response


@require_http_methods(READS)
@player_known
def consent(request: HttpRequest, player: Player) -> HttpResponse:
    text = accounts.text_to_agree_to(player)
    if text is None:
        return redirect("play:home")
    form = Agreement(request.POST if request.method == "POST" else None)
    context = {"form": form, "text": text}
    if form.is_valid():
        try:
            accounts.agree(player=player, version=form.cleaned_data["version"], now=timezone.now())
        except RuleBroken as refusal:
            return show(request, "consent", player, {**context, "reason": refusal}, status=409)
        return redirect("play:home")
    return show(request, "consent", player, context, status=422 if form.errors else 200)


@require_http_methods(READS)
@player_known
def leave(request: HttpRequest, player: Player) -> HttpResponse:
    """Delete the account, after asking for the password: a browser left open deletes nothing."""
    if request.method != "POST":
        return show(request, "leave", player)
    try:
        accounts.erase(
            player=player,
            password=request.POST.get("password", ""),
            place=place_of(request),
            now=timezone.now(),
        )
    except RuleBroken as refusal:
        return show(request, "leave", player, {"reason": refusal}, status=409)
    response = show(request, "left", None)
    end_session(request, response)
    return response


def _register(request: HttpRequest, game: WebGame, form: Registration) -> Player | None:
    """Register a player; None if that is refused, and then the form says why."""
    try:
        return accounts.register(
            game=game,
            name=form.cleaned_data["name"],
            password=form.cleaned_data["password"],
            agreed_to=form.cleaned_data["version"],
            place=place_of(request),
            now=timezone.now(),
        )
    except RuleBroken as refusal:
        form.add_error("name" if refusal.code == "name_taken" else None, str(refusal))
        return None


def _let_in(request: HttpRequest, player: Player) -> HttpResponse:
    response = redirect("play:home")
    try:
        open_session(request, response, player)
    except RuleBroken as refusal:
        return show(request, "sign_in", None, {"reason": refusal}, status=409)
    rotate_token(request)
    return response

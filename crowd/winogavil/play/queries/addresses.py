"""Addresses of the players' site, for pages and pictures that lead there from elsewhere."""

from django.conf import settings
from django.urls import reverse

from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Turn, WebGame

URLS = "crowd.winogavil.play.urls"


def join_url(game: WebGame) -> str:
    """The address where players join, on a host of their own."""
    return settings.PLAY_URL + reverse("play:register", args=[game.public_id], urlconf=URLS)


def shared_url(turn: Turn) -> str:
    """The public address of a shared turn; empty if it is not shared."""
    if turn.shared_as is None:
        return ""
    return settings.PLAY_URL + reverse("play:shared", args=[turn.shared_as], urlconf=URLS)


def open_games() -> list[WebGame]:
    return list(WebGame.objects.filter(is_open=True).select_related("study").order_by("title", "pk"))


def find_by_code(typed: str) -> WebGame | None:
    """The open game with this code, however it was typed; there are few open games at a time."""
    code = domain.read_code(typed)
    return next((game for game in open_games() if game.code == code), None)

"""The address of a web game for a poster: as text, as letters to type, and as a picture that phones read."""

from dataclasses import dataclass
from io import BytesIO
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils.safestring import SafeString, mark_safe

from crowd.winogavil.play.models import WebGame
from crowd.winogavil.play.queries.addresses import join_url

TYPES = {"svg": "image/svg+xml", "png": "image/png"}
# Millimeters and pixels of each square of the pattern: sharp on a sheet of A4.
SCALES = {"svg": 4, "png": 20}


@dataclass(frozen=True, kw_only=True)
class Address:
    url: str
    site: str
    code: str
    drawing: SafeString


def describe_address(game: WebGame) -> Address:
    return Address(
        url=join_url(game),
        site=urlsplit(settings.PLAY_URL).netloc,
        code=game.code,
        drawing=_draw_inline(game),
    )


def send_picture(game: WebGame, *, kind: str) -> HttpResponse:
    if kind not in TYPES:
        raise Http404("There is no such form of the picture.")
    out = BytesIO()
    # White behind it, whatever it is laid on: readers expect dark on light.
    _pattern(game).save(out, kind=kind, scale=SCALES[kind], light="white")
    headers = {"Content-Disposition": f'attachment; filename="{game.code}.{kind}"'}
    return HttpResponse(out.getvalue(), content_type=TYPES[kind], headers=headers)


def _draw_inline(game: WebGame) -> SafeString:
    """The picture as a part of a page, without attributes of style, which the page's policy would refuse."""
    drawn = _pattern(game).svg_inline(omitsize=True, svgclass=None, lineclass=None, light="white")
    return mark_safe(drawn)  # noqa: S308 - lines of a pattern, with no text of anybody's in them


def _pattern(game: WebGame) -> segno.QRCode:
    """The pattern at a level that a crease or a stain does not spoil."""
    return segno.make_qr(join_url(game), error="q")

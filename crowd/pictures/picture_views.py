from contextlib import suppress
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import SIZES

YEAR_S = 31_536_000
# Seconds for which the picture itself stands in for a thumbnail that is not made yet.
STAND_IN_S = 60
THUMBNAIL_TYPE = "image/webp"
# An SVG opened by itself runs nothing: it is sandboxed.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@require_safe
def picture(request: HttpRequest, key: str) -> HttpResponseBase:
    """The picture, which never changes under its name; the name says nothing of what is shown."""
    return _send(_find(key), size=None)


@require_safe
def thumbnail(request: HttpRequest, key: str, size: int) -> HttpResponseBase:
    if size not in SIZES:
        return _say("There are no thumbnails of this size.", status=404)
    return _send(_find(key), size=size)


def send_file(picture: Picture, *, size: int | None) -> tuple[HttpResponseBase, bool]:
    """The picture or its thumbnail, whatever its state, and whether the same will be sent for ever.

    Raises Http404 if the file is gone.
    """
    if size is not None and picture.has_thumbnails:
        with suppress(FileNotFoundError):
            return _as_file(picture.thumbnail_name(size), THUMBNAIL_TYPE), True
    try:
        response = _as_file(picture.file.name or "", picture.media_type)
    except FileNotFoundError:
        raise Http404("The file of this picture is gone.") from None
    return response, size is None or picture.is_drawing


def _find(key: str) -> Picture | None:
    return Picture.objects.filter(key=key).first()


def _send(found: Picture | None, *, size: int | None) -> HttpResponseBase:
    if found is not None and found.status == Picture.Status.REMOVED:
        return _say("This picture was removed.", status=410)
    if found is None or found.status != Picture.Status.FIT:
        return _say("There is no such picture.", status=404)
    try:
        response, is_final = send_file(found, size=size)
    except Http404 as gone:
        return _say(str(gone), status=404)
    if is_final:
        patch_cache_control(response, public=True, max_age=YEAR_S, immutable=True)
    else:
        patch_cache_control(response, public=True, max_age=STAND_IN_S)
    return response


def _as_file(name: str, media_type: str) -> HttpResponseBase:
    """The file, or a word to the server in front that it is to send the file. Raises FileNotFoundError."""
    response: HttpResponseBase
    if settings.MEDIA_BY_PROXY:
        if not default_storage.exists(name):
            raise FileNotFoundError(name)
        response = HttpResponse(content_type=media_type)
        response["X-Accel-Redirect"] = settings.MEDIA_BY_PROXY + quote(name)
    else:
        response = FileResponse(default_storage.open(name), content_type=media_type)
    response["Content-Security-Policy"] = POLICY
    return response


def _say(words: str, *, status: int) -> HttpResponse:
    """An answer in words that is never cached, because the next one may be another."""
    return HttpResponse(
        words, status=status, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"}
    )

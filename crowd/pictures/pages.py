from django.http import FileResponse, Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from crowd.pictures.models import Picture

YEAR_S = 31_536_000


@require_safe
@cache_control(public=True, max_age=YEAR_S, immutable=True)
def picture(request: HttpRequest, key: str) -> FileResponse:
    """Never changes under its name. An SVG opened by itself runs nothing: it is sandboxed."""
    found = get_object_or_404(Picture, key=key)
    try:
        content = found.file.open("rb")
    except FileNotFoundError:
        raise Http404("The file of this picture is gone.") from None
    response = FileResponse(content, content_type=found.media_type)
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return response

from csp.constants import NONE
from csp.decorators import csp_replace
from django.http import FileResponse, HttpRequest
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from crowd.pictures.models import Picture

YEAR_S = 31_536_000


@require_safe
@cache_control(public=True, max_age=YEAR_S, immutable=True)
@csp_replace({"default-src": [NONE], "style-src": ["'unsafe-inline'"], "sandbox": []})
def picture(request: HttpRequest, key: str) -> FileResponse:
    """Never changes under its name. An SVG opened by itself runs nothing: it is sandboxed."""
    found = get_object_or_404(Picture, key=key)
    return FileResponse(found.file.open("rb"), content_type=found.media_type)

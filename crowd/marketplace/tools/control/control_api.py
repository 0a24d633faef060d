"""The control API's one address. Callers who may not use it get a 404, as if it did not exist."""

import json
from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from crowd.marketplace import checks, clock
from crowd.marketplace.tools.control import people, rehearsal, simulation
from crowd.marketplace.tools.control.control_actions import VERBS
from crowd.marketplace.tools.control.fields import Fields, Wrong

__all__ = ["control", "people", "rehearsal", "simulation"]

KEY_HEADER = "X-Control-Key"
FORWARDED = ("x-forwarded", "forwarded", "x-real-ip", "via")  # what proxies write


@never_cache
@csrf_exempt
def control(request: HttpRequest, verb: str) -> JsonResponse:
    """Answer one verb. Cookies do not count: only the key, sent from this machine without a proxy."""
    if not _is_allowed(request) or verb not in VERBS:
        raise Http404
    if request.method != "POST":
        return _answer({"error": "Use POST."}, status=405)
    try:
        return _answer(VERBS[verb](_read(request), clock.now()))
    except Wrong as wrong:
        return _answer({"error": str(wrong)}, status=wrong.status)


def _is_allowed(request: HttpRequest) -> bool:
    key: str = settings.MARKETPLACE_CONTROL_KEY
    if not key or not checks.is_loopback(request.META.get("REMOTE_ADDR", "")):
        return False
    if any(name.lower().startswith(FORWARDED) for name in request.headers):
        return False
    return compare_digest(request.headers.get(KEY_HEADER, "").encode(), key.encode())


def _read(request: HttpRequest) -> Fields:
    try:
        values = json.loads(request.body or b"{}")
    except (ValueError, RecursionError):
        raise Wrong("The body must be JSON.") from None
    if not isinstance(values, dict):
        raise Wrong("The body must be a JSON object.")
    return Fields(values=values)


def _answer(body: dict[str, object], *, status: int = 200) -> JsonResponse:
    return JsonResponse(body, status=status)

"""Heartbeats: the page reports that its worker is at work, and nothing else. Our own clock counts."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.frame import visit_authentication
from crowd.frame.visit_problems import Problem
from hits.common import rates
from hits.work.services import heartbeats

# The page of the strictest counting sends four a minute; several tabs of it send more.
WINDOW_S = 60
MOST_BEATS = 30
# A token, and room for a longer one.
MOST_BYTES = 4096


@csrf_exempt
@never_cache
@require_POST
def beat(request: HttpRequest, hit_id: UUID) -> HttpResponse:
    """Count a heartbeat.

    A genuine token gets 204, counted or not; a refusal is a bare status that stops the page.
    """
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        return HttpResponse(status=413)
    now = timezone.now()
    try:
        hit = visit_authentication.find_hit(hit_id)
        assignment, _ = visit_authentication.read_token(request.POST.get("token", ""), hit=hit, now=now)
    except Problem as problem:
        return HttpResponse(status=problem.status)
    if not rates.spend("beat", str(assignment.public_id), most=MOST_BEATS, window_s=WINDOW_S):
        return HttpResponse(status=429, headers={"Retry-After": str(WINDOW_S)})
    heartbeats.count_activity(assignment=assignment, now=now)
    return HttpResponse(status=204)

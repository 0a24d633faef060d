"""Requests of a preview's page that is not left. Nothing is reported, counted or put to a model."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.frame.frame_verdicts import read_slot, store_proposal
from crowd.frame.json_views import in_json, refuse
from crowd.frame.previews.preview_tokens import read_preview, write_preview
from crowd.frame.previews.preview_work import PreviewWork, begin_work, find_batch, thrown_away
from scoring.models import RivalQuery
from scoring.services.asking_rivals import find_rival_query
from scoring.services.rival_selection import NoRival


@in_json
def ask(request: HttpRequest, hit_id: UUID, now: datetime) -> JsonResponse:
    """Check the word as a worker's is checked, and put it into the page's token instead of to the model."""
    preview = read_preview(request.POST.get("token", ""), key=hit_id, now=now)
    batch = find_batch(preview)
    with translation.override(batch.study.language), thrown_away():
        work = begin_work(preview, batch, now=now)
        try:
            return _put(request, work, now=now)
        except NoRival as problem:
            return refuse(str(problem), status=409)


@in_json
def verdict(request: HttpRequest, hit_id: UUID, now: datetime) -> JsonResponse:
    preview = read_preview(request.POST.get("token", ""), key=hit_id, now=now)
    with thrown_away():
        work = begin_work(preview, find_batch(preview), now=now)
        known = find_rival_query(assignment=work.assignment, slot=read_slot(request))
        return _state(known) if known else refuse(_("The model was not asked about this word."), status=404)


@in_json
def report(request: HttpRequest, hit_id: UUID, now: datetime) -> JsonResponse:
    read_preview(request.POST.get("token", ""), key=hit_id, now=now)
    return JsonResponse({"words": _("This is a preview: nothing was reported, and nothing is hidden.")})


@csrf_exempt
@never_cache
@require_POST
def beat(request: HttpRequest, hit_id: UUID) -> HttpResponse:
    """Answer as if the time were counted, without a look at anything."""
    return HttpResponse(status=204)


def _put(request: HttpRequest, work: PreviewWork, *, now: datetime) -> JsonResponse:
    if known := find_rival_query(assignment=work.assignment, slot=read_slot(request)):
        return _state(known)
    rival_query = store_proposal(request.POST, assignment=work.assignment, now=now)
    asked = [*work.preview.proposals, _without_token(request.POST)]
    return _state(rival_query, token=write_preview(replace(work.preview, proposals=asked)))


def _state(rival_query: RivalQuery, **more: str) -> JsonResponse:
    state = {"state": "unasked", "chosen": rival_query.chosen, "text": rival_query.text}
    return JsonResponse({**state, **more})


def _without_token(form: QueryDict) -> str:
    kept = form.copy()
    kept.pop("token", None)
    return kept.urlencode()

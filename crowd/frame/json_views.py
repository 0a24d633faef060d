"""Requests of a page in the frame that is not left: JSON, authorized by the page's token."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import HttpRequest, JsonResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.frame import visit_authentication
from crowd.frame.visit_problems import Problem
from hits.core.errors import InvalidAnswer, RuleBroken
from hits.work.models.assignments import Assignment

MOST_BYTES = 16_384


def spoken(view: Callable[[HttpRequest, Assignment, datetime], JsonResponse]) -> Any:
    """Wrap a view that answers in JSON, by the page's token."""

    @in_json
    @wraps(view)
    def answered(request: HttpRequest, hit_id: UUID, now: datetime) -> JsonResponse:
        hit = visit_authentication.find_hit(hit_id)
        with translation.override(hit.batch.study.language):
            assignment, _to = visit_authentication.read_token(request.POST.get("token", ""), hit=hit, now=now)
            return view(request, assignment, now)

    return answered


def in_json(view: Callable[[HttpRequest, UUID, datetime], JsonResponse]) -> Any:
    """Wrap a view that answers in JSON; a refusal is words that the page can show."""

    @csrf_exempt
    @never_cache
    @require_POST
    @wraps(view)
    def answered(request: HttpRequest, hit_id: UUID) -> JsonResponse:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            return refuse(_("That is too much for one question."), status=413)
        if any("\0" in value for values in request.POST.lists() for value in (values[0], *values[1])):
            return refuse(_("A NUL was sent, which no page sends. Please reload it."), status=400)
        try:
            return view(request, hit_id, timezone.now())
        except Problem as problem:
            return refuse(f"{problem.title}. {problem}", status=problem.status)
        except InvalidAnswer as problem:
            return refuse(str(problem), status=400)
        except RuleBroken as problem:
            return refuse(str(problem), status=409)

    return answered


def refuse(words: str, *, status: int) -> JsonResponse:
    return JsonResponse({"problem": words}, status=status)

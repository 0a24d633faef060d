"""The rival's word for a page in the frame: asked once for each cue, then read until it is there."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.frame import visits
from crowd.frame.problems import Problem
from hits import rates
from hits.errors import InvalidAnswer
from hits.models import Assignment
from hits.services import working
from hits.tasks import nudge
from scoring.models import Riddle
from scoring.services import asking
from scoring.tasks import answer_riddles

WINDOW_S = 60
MOST_QUESTIONS = 30
# A page that waits asks ten times in the first second and twice in each later one.
MOST_LOOKS = 300
MOST_BYTES = 16_384
MOST_SLOTS = 10


def spoken(view: Callable[[HttpRequest, Assignment, datetime], JsonResponse]) -> Any:
    """JSON in, by the page's token; a refusal is words that the page can show."""

    @csrf_exempt
    @never_cache
    @require_POST
    @wraps(view)
    def answered(request: HttpRequest, hit_id: UUID) -> JsonResponse:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            return _refuse(_("That is too much for one question."), status=413)
        now = timezone.now()
        try:
            hit = visits.find_hit(hit_id)
            with translation.override(hit.batch.study.language):
                assignment, _to = visits.read_token(request.POST.get("token", ""), hit=hit, now=now)
                return view(request, assignment, now)
        except Problem as problem:
            return _refuse(f"{problem.title}. {problem}", status=problem.status)
        except InvalidAnswer as problem:
            return _refuse(str(problem), status=400)

    return answered


@spoken
def ask(request: HttpRequest, assignment: Assignment, now: datetime) -> JsonResponse:
    """Stores the cue and the choice, then asks. Whoever asks again is told what is stored."""
    slot = _read_slot(request)
    if known := asking.find_riddle(assignment=assignment, slot=slot):
        return _state(known, now=now)
    if assignment.status != Assignment.Status.OPENED:
        return _refuse(_("This work was handed in before. Nothing was changed."), status=409)
    if not rates.spend("ask", str(assignment.public_id), most=MOST_QUESTIONS, window_s=WINDOW_S):
        return _refuse(_("Please wait a moment before you ask again."), status=429)
    family = working.family_of_batch(assignment.hit.batch)
    proposal = family.read_proposal(form=request.POST, assignment=assignment)
    new = asking.NewRiddle(
        text=proposal.text,
        pictures=[asking.Shown(sha256=sha256, caption=caption) for sha256, caption in proposal.pictures],
        chosen=proposal.chosen,
        slot=proposal.slot,
    )
    riddle, _stored = asking.ask(new=new, assignment=assignment, now=now)
    nudge(answer_riddles)
    return _state(riddle, now=now)


@spoken
def verdict(request: HttpRequest, assignment: Assignment, now: datetime) -> JsonResponse:
    if not rates.spend("verdict", str(assignment.public_id), most=MOST_LOOKS, window_s=WINDOW_S):
        return _refuse(_("Please wait a moment before you ask again."), status=429)
    riddle = asking.find_riddle(assignment=assignment, slot=_read_slot(request))
    if riddle is None:
        return _refuse(_("The model was not asked about this word."), status=404)
    return _state(riddle, now=now)


def _read_slot(request: HttpRequest) -> int:
    slot = request.POST.get("slot", "")
    if not (slot.isascii() and slot.isdigit() and 1 <= int(slot[:4]) <= MOST_SLOTS):
        raise InvalidAnswer(_("The page did not say which word is meant. Please reload it."))
    return int(slot)


def _state(riddle: Riddle, *, now: datetime) -> JsonResponse:
    return JsonResponse(asking.answer_state(riddle, now=now, deadline_s=settings.RIVAL_DEADLINE_S))


def _refuse(words: str, *, status: int) -> JsonResponse:
    return JsonResponse({"problem": words}, status=status)

"""The rival's verdict for a page in the frame: asked once for each cue, then polled until it is there."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, JsonResponse, QueryDict
from django.utils.translation import gettext as _

from crowd.frame.json_views import refuse, spoken
from hits.common import rates
from hits.common.currencies import in_money
from hits.core.errors import InvalidAnswer, RuleBroken
from hits.families import AsksRival
from hits.work.models.assignments import Assignment
from hits.work.services import leasing
from hits.work.services.locking import lock_assignment
from scoring.models import RivalQuery
from scoring.services import asking_rivals

WINDOW_S = 60
MOST_QUESTIONS = 30
# A page that waits asks ten times in the first second and twice in each later one.
MOST_LOOKS = 300
SLOTS = frozenset(str(slot) for slot in range(1, 11))


@spoken
def ask(request: HttpRequest, assignment: Assignment, now: datetime) -> JsonResponse:
    """Store the cue and the choice, then ask. Idempotent: a repeated request gets what is stored."""
    slot = read_slot(request)
    if known := asking_rivals.find_rival_query(assignment=assignment, slot=slot):
        return _state(known, assignment, now=now)
    if assignment.status != Assignment.Status.OPENED:
        return refuse(_("This work was submitted before. Nothing was changed."), status=409)
    if not rates.spend("ask", str(assignment.public_id), most=MOST_QUESTIONS, window_s=WINDOW_S):
        return refuse(_("Please wait a moment before you ask again."), status=429)
    rival_query = _store(request, assignment, now=now)
    return _state(rival_query, assignment, now=now)


@spoken
def verdict(request: HttpRequest, assignment: Assignment, now: datetime) -> JsonResponse:
    if not rates.spend("verdict", str(assignment.public_id), most=MOST_LOOKS, window_s=WINDOW_S):
        return refuse(_("Please wait a moment before you ask again."), status=429)
    rival_query = asking_rivals.find_rival_query(assignment=assignment, slot=read_slot(request))
    if rival_query is None:
        return refuse(_("The model was not asked about this word."), status=404)
    return _state(rival_query, assignment, now=now)


def _store(request: HttpRequest, assignment: Assignment, *, now: datetime) -> RivalQuery:
    with transaction.atomic():
        # Two words of one attempt at one instant: the second is compared with the first.
        if lock_assignment(assignment.pk) != Assignment.Status.OPENED:
            # Given up meanwhile, for a new attempt at the same pictures: this word would be a try too many.
            raise RuleBroken("not_open", _("This work is over, or was submitted. Nothing was changed."))
        return store_proposal(request.POST, assignment=assignment, now=now)


def store_proposal(form: QueryDict, *, assignment: Assignment, now: datetime) -> RivalQuery:
    """Store what a page put to the rival. Raises InvalidAnswer if the page could not have sent it."""
    family = leasing.family_of_batch(assignment.hit.batch)
    if not isinstance(family, AsksRival):
        raise InvalidAnswer(_("This task asks no model."))
    proposal = family.read_proposal(form=form, assignment=assignment)
    new = asking_rivals.NewRivalQuery(
        text=proposal.text,
        pictures=[
            asking_rivals.ShownPicture(sha256=sha256, caption=caption)
            for sha256, caption in proposal.pictures
        ],
        chosen=proposal.chosen,
        slot=proposal.slot,
    )
    rival_query, _stored = asking_rivals.ask(new=new, assignment=assignment, now=now)
    return rival_query


def read_slot(request: HttpRequest) -> int:
    slot = request.POST.get("slot", "")
    if slot not in SLOTS:
        raise InvalidAnswer(_("The page did not say which word is meant. Please reload it."))
    return int(slot)


def _state(rival_query: RivalQuery, assignment: Assignment, *, now: datetime) -> JsonResponse:
    state = dict(asking_rivals.answer_state(rival_query, now=now, deadline_s=settings.RIVAL_DEADLINE_S))
    family = leasing.family_of_batch(assignment.hit.batch)
    if "fool" in state and isinstance(family, AsksRival):
        bonus = family.possible_bonus(assignment=assignment, fool=state["fool"])
        state["bonus"] = None if bonus is None else f"{bonus:.2f}"
        state["earns"] = None if bonus is None else in_money(bonus, assignment.hit.batch.currency)
    return JsonResponse(state)

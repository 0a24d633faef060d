"""The framed page: no cookies, no session. A signed token in the form is the only authority."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from crowd.frame import before_work, claim_limits, opening_visits, refused_visits, visit_authentication
from crowd.frame.answer_reading import read_or_ask_again
from crowd.frame.framed_pages import framed, show
from crowd.frame.inspections import show_inspection
from crowd.frame.visit_authentication import Visit
from crowd.frame.visit_problems import Ineligible
from crowd.frame.ways_back import finish_of
from hits.core.errors import RuleBroken
from hits.families import Answer, PreviewsBatches, TaskPage
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services import leasing
from qualifications.queries.gate_standing import conditions_of

Status = Assignment.Status


@require_GET
@framed
def question(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Show the work by its state: practice, consent, work, submission, done.

    Reloading any of them is safe.
    """
    now = timezone.now()
    if visit_authentication.is_preview(hit, request.GET):
        signed = request.GET.get("inspection")
        return show_inspection(request, hit, signed, now=now) if signed else _preview(request, hit)
    claim_limits.refuse_haste(request, hit)
    visit = visit_authentication.read_visit(hit=hit, query=request.GET, now=now)
    assignment = _open(visit, now=now)
    if asked := before_work.ask_first(request, assignment, submit_to=visit.submit_to):
        return asked
    items = leasing.lease_items(assignment=assignment, now=now)
    if assignment.status == Status.SAVED:
        return _hand_over(request, assignment, submit_to=visit.submit_to)
    if assignment.status != Status.OPENED:
        return show(request, "frame/over.html", {"assignment": assignment})
    if not items:
        why = leasing.why_none(batch=hit.batch, worker_id=assignment.worker_id)
        refused_visits.note_nothing_left(assignment, why=why, now=now)
        return show(request, "frame/nothing_left.html", {"assignment": assignment, "why": why})
    page = leasing.family_of_batch(hit.batch).work_page(assignment=assignment, items=items)
    return _show_work(request, page, assignment, submit_to=visit.submit_to)


@csrf_exempt
@require_POST
@framed
def answer(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Save the answer, then submit it.

    Idempotent: a second answer changes nothing, and is submitted as saved.
    """
    now = timezone.now()
    assignment, submit_to = visit_authentication.read_token(request.POST.get("token", ""), hit=hit, now=now)
    if assignment.status == Status.OPENED:
        items = leasing.items_of(assignment)
        family = leasing.family_of_batch(hit.batch)
        read = read_or_ask_again(family, form=request.POST, assignment=assignment, items=items)
        if isinstance(read, TaskPage):
            return _show_work(request, read, assignment, submit_to=submit_to, status=400)
        if _save_first(assignment, read, now=now):
            return _hand_over(request, assignment, submit_to=submit_to)
    if assignment.status == Status.SAVED:
        return _hand_over(request, assignment, submit_to=submit_to, again=True)
    raise RuleBroken("already_saved", _("This work was submitted before. Nothing was changed."))


def _save_first(assignment: Assignment, answer: Answer, *, now: datetime) -> bool:
    """Save the answer; False if another tab was quicker, with the assignment as that one has left it."""
    try:
        leasing.save_answer(assignment=assignment, answer=answer, now=now)
    except RuleBroken as broken:
        if broken.code != "already_saved":
            raise
        assignment.refresh_from_db(fields=["status", "answer"])
        return False
    return True


def _show_work(
    request: HttpRequest, page: TaskPage, assignment: Assignment, *, submit_to: str, status: int = 200
) -> HttpResponse:
    token = visit_authentication.write_token(assignment=assignment, submit_to=submit_to)
    context = {**page.context, "token": token, "hit": assignment.hit, "assignment": assignment}
    return show(request, page.template, context, status=status)


def _preview(request: HttpRequest, hit: HIT) -> HttpResponse:
    opening_visits.refuse_preview(hit)
    return show_practice(request, hit.batch)


def show_practice(request: HttpRequest, batch: Batch, **more: Any) -> HttpResponse:
    """Show what whoever has not accepted yet sees: an example, and what the work requires."""
    task = leasing.family_of_batch(batch)
    page = task.preview_page(batch=batch) if isinstance(task, PreviewsBatches) else task.practice_page()
    context = {**page.context, "preview": True, "conditions": conditions_of(batch), **more}
    return show(request, page.template, context)


def _open(visit: Visit, *, now: datetime) -> Assignment:
    """Open the visit. A refusal is counted after everything has been rolled back."""
    try:
        return opening_visits.open_visit(visit, now=now)
    except (Ineligible, RuleBroken) as refusal:
        refused_visits.note_refusal(refusal, visit, now=now)
        raise


def _hand_over(
    request: HttpRequest, assignment: Assignment, *, submit_to: str, again: bool = False
) -> HttpResponse:
    """Show the page from which the worker's own browser submits the saved answer to the platform."""
    finish = finish_of(assignment, submit_to=submit_to)
    context = {"assignment": assignment, "again": again, "finish": finish}
    return show(request, "frame/hand_over.html", context, status=409 if again else 200)

"""The framed page: no cookies, no session. A signed token in the form is the only authority."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from csp.constants import SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from crowd.frame import limits, opening, visits
from crowd.frame.problems import Problem
from hits.errors import CrowdError, InvalidAnswer, RuleBroken
from hits.models import HIT, Assignment
from hits.services import working

Status = Assignment.Status


def framed(view: Callable[[HttpRequest, HIT], HttpResponse]) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """Finds the HIT, explains what goes wrong, and lets the account's worker site, alone, frame the page."""

    @never_cache
    @xframe_options_exempt
    def shown(request: HttpRequest, hit_id: UUID) -> HttpResponse:
        try:
            hit = visits.find_hit(hit_id)
        except Problem as problem:
            response = _explain(request, problem)
            # It tells nothing, and whose frame it stands in is not known.
            response["Content-Security-Policy"] = build_policy(replace={"frame-ancestors": ["*"]})
            return response
        with translation.override(hit.batch.study.language):
            try:
                response = view(request, hit)
            except CrowdError as problem:
                response = _explain(request, problem)
        site = hit.batch.account.worker_site.rstrip("/")
        opened = {"frame-ancestors": [site], "form-action": [SELF, site]}
        response["Content-Security-Policy"] = build_policy(replace=opened)
        response["Referrer-Policy"] = "no-referrer"
        return response

    return shown


@require_GET
@framed
def question(request: HttpRequest, hit: HIT) -> HttpResponse:
    """The work, by state: practice, work, finish handing in, done. Reloading any of them is safe."""
    if visits.is_preview(request.GET):
        opening.refuse_preview(hit)
        page = working.family_of_batch(hit.batch).practice_page()
        return _show(request, page.template, {**page.context, "preview": True})
    now = timezone.now()
    limits.refuse_haste(request, hit)
    visit = visits.read_visit(hit=hit, query=request.GET, now=now)
    assignment = opening.open_visit(visit, now=now)
    items = working.lease_items(assignment=assignment, now=now)
    if assignment.status == Status.SAVED:
        return _hand_over(request, assignment, submit_to=visit.submit_to)
    if assignment.status != Status.OPENED:
        return _show(request, "frame/over.html", {"assignment": assignment})
    if not items:
        return _show(request, "frame/nothing_left.html", {"assignment": assignment})
    page = working.family_of_batch(hit.batch).work_page(assignment=assignment, items=items)
    token = visits.write_token(assignment=assignment, submit_to=visit.submit_to)
    context = {**page.context, "token": token, "hit": hit, "assignment": assignment}
    return _show(request, page.template, context)


@csrf_exempt
@require_POST
@framed
def answer(request: HttpRequest, hit: HIT) -> HttpResponse:
    """Saves first, then hands over. A second answer changes nothing, and leads to the same hand-over."""
    now = timezone.now()
    assignment, submit_to = visits.read_token(request.POST.get("token", ""), hit=hit, now=now)
    if assignment.status == Status.OPENED:
        items = working.items_of(assignment)
        family = working.family_of_batch(hit.batch)
        read = family.read_answer(form=request.POST, assignment=assignment, items=items)
        working.save_answer(assignment=assignment, answer=read, now=now)
        return _hand_over(request, assignment, submit_to=submit_to)
    if assignment.status == Status.SAVED:
        return _hand_over(request, assignment, submit_to=submit_to, again=True)
    raise RuleBroken("already_saved", _("This work was handed in before. Nothing was changed."))


def _hand_over(
    request: HttpRequest, assignment: Assignment, *, submit_to: str, again: bool = False
) -> HttpResponse:
    """What is saved here goes to the platform by the worker's own browser."""
    context = {
        "action": f"{submit_to}/mturk/externalSubmit",
        "assignment": assignment,
        "answer": json.dumps(assignment.answer),
        "again": again,
    }
    return _show(request, "frame/hand_over.html", context, status=409 if again else 200)


def _explain(request: HttpRequest, problem: CrowdError) -> HttpResponse:
    if isinstance(problem, Problem):
        context = {"title": problem.title, "problem": problem}
        response = _show(request, problem.template, context, status=problem.status)
        for name, value in problem.headers.items():
            response[name] = value
        return response
    if isinstance(problem, InvalidAnswer):
        title, status = _("The answer is not complete"), 400
    else:
        title, status = _("This cannot be done"), 409
    return _show(request, "frame/problem.html", {"title": title, "problem": problem}, status=status)


def _show(request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    return render(request, template, dict(context), status=status)

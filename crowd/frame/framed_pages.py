"""The common part of all framed pages: their HIT, language, security policy, and error pages."""

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

from csp.constants import NONE, SELF
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt

from crowd.frame import visit_authentication
from crowd.frame.visit_problems import Problem
from crowd.frame.ways_back import ways_back
from hits.core.errors import CrowdError, InvalidAnswer
from hits.work.models.hits import HIT


def framed(view: Callable[[HttpRequest, HIT], HttpResponse]) -> Callable[[HttpRequest, UUID], HttpResponse]:
    """Wrap a view: find the HIT, explain errors, and let only the account's worker site frame the page."""

    @never_cache
    @xframe_options_exempt
    def shown(request: HttpRequest, hit_id: UUID) -> HttpResponse:
        try:
            hit = visit_authentication.find_hit(hit_id)
        except Problem as problem:
            response = explain(request, problem)
            # This page tells nothing, and which site frames it is not known.
            response["Content-Security-Policy"] = build_policy(replace={"frame-ancestors": ["*"]})
            return response
        cast(Any, request).hit = hit  # for the way back that `show` offers
        with translation.override(hit.batch.study.language):
            try:
                response = view(request, hit)
            except CrowdError as problem:
                response = explain(request, problem)
        site = origin_of(hit.batch.account.worker_site)
        framers = [NONE] if hit.batch.account.can.verifies_visits else [site]
        opened = {"frame-ancestors": framers, "form-action": [SELF, site]}
        response["Content-Security-Policy"] = build_policy(replace=opened)
        response["Referrer-Policy"] = "no-referrer"
        return response

    return shown


def origin_of(address: str) -> str:
    """Scheme and host only: what follows them could contain a directive of its own."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def explain(request: HttpRequest, problem: CrowdError) -> HttpResponse:
    if isinstance(problem, Problem):
        context = {"title": problem.title, "problem": problem, "leads_back": problem.leads_back}
        response = show(request, problem.template, context, status=problem.status)
        for name, value in problem.headers.items():
            response[name] = value
        return response
    if isinstance(problem, InvalidAnswer):
        title, status, leads_back = _("The answer is not complete"), 400, False
    else:
        title, status, leads_back = _("This cannot be done"), 409, True
    context = {"title": title, "problem": problem, "leads_back": leads_back}
    return show(request, "frame/problem.html", context, status=status)


def show(request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    ways = {"ways_back": ways_back(getattr(request, "hit", None))}
    return render(request, template, {**ways, **context}, status=status)

"""The page that follows decisions on many works at once: all of them can be undone together for a while."""

from datetime import datetime

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from hits.admin.selection import need, signed_in
from hits.core.errors import RuleBroken
from hits.review.queries import unsent_decisions
from hits.review.services import reviewing
from hits.work.models.assignments import Assignment

REVIEW = "hits.review_assignment"


def urls(works: admin.ModelAdmin[Assignment]) -> list[URLPattern]:
    view = works.admin_site.admin_view
    return [
        path("decided/", view(decided_view), name="hits_assignment_decided"),
        path("decided/undo/", view(require_POST(undo_view)), name="hits_assignment_undo_all"),
    ]


def decided_url(made_at: datetime) -> str:
    """The page of what the signed-in person decided in one go at this moment."""
    return f"{reverse('admin:hits_assignment_decided')}?{urlencode({'at': made_at.isoformat()})}"


def decided_view(request: HttpRequest) -> HttpResponse:
    need(request, REVIEW)
    made_at, now = _moment(request), timezone.now()
    unsent = unsent_decisions.count_unsent(by=signed_in(request), made_at=made_at)
    left = int((unsent.send_at - now).total_seconds()) if unsent.send_at else 0
    context = {
        **admin.site.each_context(request),
        "title": "Decided together",
        "trail": [("Review", reverse("admin:hits_assignment_review"))],
        "unsent": unsent,
        "seconds": max(0, left),
        "made_at": made_at,
    }
    return TemplateResponse(request, "admin/hits/decided.html", context)


def undo_view(request: HttpRequest) -> HttpResponse:
    need(request, REVIEW)
    made_at = _moment(request)
    try:
        count = reviewing.undo_all(made_at=made_at, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        undone = unsent_decisions.count_unsent(by=signed_in(request), made_at=made_at)
        words = unsent_decisions.in_words(undone.kind, count)
        messages.success(request, f"Undone: {words}. Nothing of them was sent.")
    return redirect(decided_url(made_at))


def _moment(request: HttpRequest) -> datetime:
    try:
        found = parse_datetime(request.GET.get("at", ""))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Http404
    return found

"""Where a user is signed in: a line for each browser, with a button that signs out there."""

from datetime import timedelta

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.home import navigation
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.selection import signed_in
from hits.identity.models.staff_sessions import StaffSession
from hits.identity.services.staff_sessions import SEEN_EVERY_S, end_sessions, sessions_of

NAME = "Where you are signed in"
ROUTE = "admin:hits_staff_sessions"

navigation.add_page(Page(place=MenuPlace(Section.SET_UP, 8, NAME), route=ROUTE, permissions=()))


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("sessions/", view(sessions_view), name="hits_staff_sessions"),
        path("sessions/<int:pk>/end/", view(require_POST(end_view)), name="hits_staff_sessions_end"),
        path("sessions/end/", view(require_POST(end_others_view)), name="hits_staff_sessions_end_others"),
    ]


def sessions_view(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    context = {
        **admin.site.each_context(request),
        "title": NAME,
        "rows": sessions_of(signed_in(request), now=now),
        "lately": now - timedelta(seconds=SEEN_EVERY_S),
        "here": request.session.session_key,
    }
    return TemplateResponse(request, "admin/hits/staff_sessions.html", context)


def end_view(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(StaffSession, pk=pk, user=signed_in(request))
    end_sessions(rows=[row])
    messages.success(request, f"Signed out: {row.device}.")
    return redirect(ROUTE)


def end_others_view(request: HttpRequest) -> HttpResponse:
    mine = StaffSession.objects.filter(user=signed_in(request))
    end_sessions(rows=mine.exclude(session_key=request.session.session_key))
    messages.success(request, "You are signed in here alone.")
    return redirect(ROUTE)

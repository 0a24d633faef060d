"""What stands between a password and the pages: the second factor, for whoever has one or needs one."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from hits.admin.selection import signed_in
from hits.identity.services.second_factors import Lack, find_lack
from hits.identity.services.staff_sessions import keep_session

# Pages that look at no session of staff: what workers, designers and the public open.
PUBLIC = ("/q/", "/data/", "/statement/", "/pictures/", "/health/")
ALWAYS_OPEN = ("login", "logout", "jsi18n")
ROUTES = {Lack.CODE: "hits_second_factor_code", Lack.FACTOR: "hits_second_factor_set_up"}
TO_PROGRAMS = {
    Lack.CODE: "Enter the code of your second factor in the admin first.",
    Lack.FACTOR: "You may send money, so you need a second factor. Set one up in the admin first.",
}


class SignInGate:
    """Middleware that opens nothing to a session without its second factor, and notes when it was seen."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path.startswith(PUBLIC):
            return None
        if not request.user.is_authenticated:
            return None
        user, session = signed_in(request), request.session
        agent = request.headers.get("User-Agent", "")
        keep_session(session=session, user=user, user_agent=agent, now=timezone.now())
        lack = find_lack(user=user, session=session)
        if lack is None or _is_open(request, lack):
            return None
        stopped = _stop(request, lack)
        add_never_cache_headers(stopped)
        return stopped


def _is_open(request: HttpRequest, lack: Lack) -> bool:
    """Whether the page is for sessions that lack this. An API token is no session, and is checked there."""
    match: Any = request.resolver_match
    if match.app_name == "admin":
        return match.url_name in (*ALWAYS_OPEN, ROUTES[lack])
    return _is_of_program(request) and "Authorization" in request.headers


def _stop(request: HttpRequest, lack: Lack) -> HttpResponse:
    if _is_of_program(request):
        return JsonResponse({"code": "second_factor", "detail": TO_PROGRAMS[lack]}, status=403)
    query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
    return redirect(f"{reverse(f'admin:{ROUTES[lack]}')}{'?' if query else ''}{query}")


def _is_of_program(request: HttpRequest) -> bool:
    match: Any = request.resolver_match
    return request.path.startswith("/api/") and match.url_name != "docs"

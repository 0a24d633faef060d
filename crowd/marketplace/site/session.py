"""Sessions of the worker site: a cookie of its own, rows of its own."""

import re
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from crowd.marketplace import clock
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import worker_sign_in
from crowd.marketplace.services.email_addresses import find_address
from crowd.marketplace.site.responses import refuse, show, show_front, too_many
from hits.common import rates

COOKIE = settings.MARKETPLACE_COOKIES.format("worker_session")
WORK = re.compile(r"/work/[A-Za-z0-9]")
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Worker, P], HttpResponse]


def worker_required(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Pass the signed-in worker to the view; others learn how to sign in. Nothing is cached."""

    def signed_in(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        worker = find_worker(request)
        if worker is None:
            response = show_front(request) if request.path == "/" else show_sign_in(request, status=403)
        elif worker.waits_since:
            response = _show_waiting(request, worker)
        else:
            response = _answer(request, worker, view, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    return signed_in


def find_worker(request: HttpRequest) -> Worker | None:
    token = request.COOKIES.get(COOKIE, "")
    return worker_sign_in.find_session_worker(token=token, now=clock.now()) if token else None


def show_sign_in(request: HttpRequest, *, status: int, **context: object) -> HttpResponse:
    """Show the sign-in page. After it the worker goes on to the page first asked for, if that was a GET."""
    wanted = request.get_full_path() if request.method == "GET" and request.path != "/" else ""
    is_open = settings.MARKETPLACE_OPEN_REGISTRATION
    values = {"wanted": wanted, "is_open": is_open, **context}
    values["is_in_work"] = WORK.match(str(values["wanted"]))
    return render(request, "marketplace/sign_in.html", values, status=status)


def open_session(request: HttpRequest, response: HttpResponse, worker: Worker) -> None:
    """Open a session; an earlier one of this browser ends."""
    worker_sign_in.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response.set_cookie(
        COOKIE,
        worker_sign_in.sign_in(worker=worker, now=clock.now()),
        max_age=worker_sign_in.SESSION_LIFE,
        httponly=True,
        secure=settings.MARKETPLACE_URL.startswith("https:"),
        samesite="Lax",
    )


def let_in(request: HttpRequest, worker: Worker, *, to: str) -> HttpResponse:
    """Sign the worker in. A suspended worker may sign in too, to finish begun work."""
    is_ours = url_has_allowed_host_and_scheme(to, allowed_hosts=None) and to.startswith("/")
    response = redirect(to if is_ours else "marketplace:list")
    try:
        open_session(request, response, worker)
    except RuleBroken as refusal:
        return show_sign_in(request, status=403, wanted="", reason=str(refusal))
    rotate_token(request)
    return response


def _show_waiting(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show that no operator has agreed to the registration yet; until then nothing else is shown."""
    context = {"mine": find_address(worker)}
    return show(request, "waiting", worker, context, status=200 if request.path == "/" else 403)


def _answer(
    request: HttpRequest, worker: Worker, view: View[P], /, *args: P.args, **kwargs: P.kwargs
) -> HttpResponse:
    """Call the view within the worker's rate. A missing page is shown with links to others."""
    if not rates.allow("worker", worker.external_id, per_second=settings.MARKETPLACE_WORKER_RATE):
        return too_many(request, worker)
    try:
        return view(request, worker, *args, **kwargs)
    except Http404:
        return refuse(request, "not_found", status=404, worker=worker)

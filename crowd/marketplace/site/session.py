"""Sessions of the worker site: a cookie of its own, rows of its own."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from crowd.marketplace.models import Worker
from crowd.marketplace.services import people

COOKIE = "worker_session"
P = ParamSpec("P")


def worker_required(
    view: Callable[Concatenate[HttpRequest, Worker, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Hands the signed-in worker to the view; shows anybody else how to get in."""

    def signed_in(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        token = request.COOKIES.get(COOKIE, "")
        worker = people.find_session_worker(token=token, now=timezone.now()) if token else None
        if worker is None:
            return render(request, "marketplace/sign_in.html", status=200 if request.path == "/" else 403)
        return view(request, worker, *args, **kwargs)

    return signed_in

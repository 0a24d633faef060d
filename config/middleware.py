"""Which site answers, and what is written down about it."""

from collections.abc import Callable
from time import perf_counter
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import set_urlconf

log = structlog.get_logger()
GetResponse = Callable[[HttpRequest], HttpResponse]


class SiteByHost:
    """The marketplace is a site of its own: its host sees its addresses and no others."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if urlsplit(f"//{request.get_host()}").hostname == urlsplit(settings.MARKETPLACE_URL).hostname:
            request.urlconf = "crowd.marketplace.urls"
            set_urlconf("crowd.marketplace.urls")
        return self.get_response(request)


class RequestLog:
    """One line a request. Never the query string: the platform puts the worker's id into it."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        response = self.get_response(request)
        log.info(
            "request.finished",
            method=request.method,
            route=_route(request),
            status=response.status_code,
            ms=round(1000 * (perf_counter() - began)),
        )
        return response


def _route(request: HttpRequest) -> str:
    """The pattern, not the path: paths carry invitations and signed submit addresses."""
    return request.resolver_match.route if request.resolver_match else "(none)"

"""Middleware that chooses the site, refuses NULs, and logs requests."""

import re
from collections.abc import Callable
from secrets import token_hex
from time import perf_counter
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import set_urlconf
from structlog.contextvars import bound_contextvars

from config.error_pages import BAD_REQUEST, answer
from hits.common.watching.timings import Timing

log = structlog.get_logger()
GetResponse = Callable[[HttpRequest], HttpResponse]
REFERENCE_BYTES = 6
REFERENCE = "X-Request-ID"
# Numbers as proxies make them. A name or a worker's id is none, whoever may have put it there.
PROXYS = re.compile(r"[0-9a-f]{8,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
REQUESTS = Timing(
    name="crowd_request_seconds",
    words="Requests, by the site, the first part of the address's pattern, and the class of the status.",
    labels=("site", "group", "status"),
    buckets=(0.05, 0.25, 1, 2.5, 10),
)
CONTENT = "crowd.marketplace.content.urls"


class SiteByHost:
    """Middleware that serves each site on its own host, with no addresses of other sites."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        host = urlsplit(f"//{request.get_host()}").hostname or ""
        host = host.rstrip(".")  # a name that ends in a dot is the same name
        if urlconf := _sites().get(host) or _site_of_a_requester(host):
            request.urlconf = urlconf
            set_urlconf(urlconf)
        return self.get_response(request)


def _sites() -> dict[str | None, str]:
    return {
        urlsplit(settings.MARKETPLACE_URL).hostname: _urls_of_marketplace(),
        urlsplit(settings.MARKETPLACE_CONTENT_URL).hostname: CONTENT,
        **_sites_of_families(),
        **dict.fromkeys(settings.AMAZON_HOSTS, "crowd.marketplace.api_urls"),
    }


def _site_of_a_requester(host: str) -> str | None:
    """The content host's addresses, if this is the host of one requester's pages."""
    pattern = urlsplit(settings.MARKETPLACE_CONTENT_URL).hostname or ""
    return CONTENT if pattern.startswith("*.") and host.endswith(pattern[1:]) else None


def _urls_of_marketplace() -> str:
    """The URL configuration of the marketplace: without its key, the control API is not even loaded."""
    is_controlled = settings.MARKETPLACE_CONTROL_KEY
    return "crowd.marketplace.tools.control.urls" if is_controlled else "crowd.marketplace.urls"


def _sites_of_families() -> dict[str | None, str]:
    if settings.MARKETPLACE_ALONE:
        return {}
    from crowd import family  # noqa: PLC0415 - it loads what the marketplace alone has not installed

    return {
        urlsplit(getattr(settings, setting)).hostname: urls
        for one in family.registered()
        for setting, urls in one.sites.items()
    }


class NoNul:
    """Middleware that refuses a NUL in a list's filters: no text column holds one, and PostgreSQL fails."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        if _is_list(request) and any("\0" in value for value in _query_of(request)):
            return answer(request, BAD_REQUEST)
        return None


def _is_list(request: HttpRequest) -> bool:
    match = request.resolver_match
    name = str(match.url_name) if match and match.app_name == "admin" else ""
    return name.endswith("_changelist") or name == "autocomplete"


def _query_of(request: HttpRequest) -> list[str]:
    return [value for values in request.GET.lists() for value in values[1]]


class RequestLog:
    """Middleware that logs one line a request, never the query string: it contains the worker's id.

    All lines about a request carry the same reference, which the answer names and an error page shows. It is
    the proxy's own where one stands in front.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        reference = _reference(request)
        with bound_contextvars(reference=reference):
            response = self.get_response(request)
            response[REFERENCE] = reference
            seconds = perf_counter() - began
            REQUESTS.take(seconds, _site(request), _group(request), f"{response.status_code // 100}xx")
            log.info(
                "request.finished",
                method=request.method,
                route=_route(request),
                status=response.status_code,
                ms=round(1000 * seconds),
            )
        return response


def _reference(request: HttpRequest) -> str:
    given = request.headers.get(REFERENCE, "") if settings.BEHIND_PROXY else ""
    return given if PROXYS.fullmatch(given) else token_hex(REFERENCE_BYTES)


def _site(request: HttpRequest) -> str:
    urlconf = str(getattr(request, "urlconf", settings.ROOT_URLCONF))
    return urlconf.removesuffix(".urls")


def _group(request: HttpRequest) -> str:
    if request.path.startswith(settings.STATIC_URL):
        return "static"
    return _route(request).partition("/")[0] or "(root)"


def _route(request: HttpRequest) -> str:
    """The route's pattern instead of the path: paths carry invitations and signed submit addresses."""
    return request.resolver_match.route if request.resolver_match else "(none)"

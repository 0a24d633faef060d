"""Answers of the worker site: pages and refusals."""

from collections.abc import Mapping
from typing import Any

from csp.constants import SELF
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowd.marketplace import frames
from crowd.marketplace.models.parties import Worker

TRY_AGAIN_S = 10


def show(
    request: HttpRequest,
    page: str,
    worker: Worker,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render a page. Its policy allows frames only for the question and the answer to its submission."""
    response = render(request, f"marketplace/{page}.html", {"worker": worker, **context}, status=status)
    if frame_url := context.get("frame_url"):
        # Our own origin too: submitting takes the frame to our own submit address.
        policy = build_policy(replace={"frame-src": [SELF, frames.origin(frame_url)]})
        response["Content-Security-Policy"] = policy
    return response


def show_front(request: HttpRequest) -> HttpResponse:
    """Show a visitor who is not signed in what this marketplace is."""
    context = {"is_open": settings.MARKETPLACE_OPEN_REGISTRATION, **run_by()}
    return render(request, "marketplace/front.html", context)


def run_by() -> dict[str, str]:
    """Return who runs the marketplace and where they are reached, as far as it was set."""
    return {"operator": settings.MARKETPLACE_OPERATOR, "contact": settings.MARKETPLACE_CONTACT}


def refuse(
    request: HttpRequest, page: str, *, status: int, worker: Worker | None = None, **context: object
) -> HttpResponse:
    """Render a page that gives the reason for a refusal and a way on."""
    return render(request, f"marketplace/refused/{page}.html", {"worker": worker, **context}, status=status)


def too_many(
    request: HttpRequest, worker: Worker | None = None, *, wait_s: int = TRY_AGAIN_S
) -> HttpResponse:
    wait = {"wait_s": wait_s, "wait_minutes": wait_s // 60}
    response = refuse(request, "too_many", status=429, worker=worker, **wait)
    response["Retry-After"] = str(wait_s)
    return response

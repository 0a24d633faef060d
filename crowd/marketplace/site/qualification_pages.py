"""A worker's qualifications, and requests for more: by hand, at once, or by a test."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from crowd.marketplace import clock, frames, queries
from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries import qualifications as records
from crowd.marketplace.services.qualifying import qualification_requests as services
from crowd.marketplace.services.qualifying.ways_in import work_that_gives
from crowd.marketplace.services.work import settle
from crowd.marketplace.site.responses import show
from crowd.marketplace.site.session import worker_required

SIZE = 20
MOST_ASKED = 100
Status = QualificationRequest.Status


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """A request as the worker sees it, with the instant from which they may try again."""

    request: QualificationRequest
    again_at: datetime | None
    may_try: bool


@require_GET
@worker_required
def mine(request: HttpRequest, worker: Worker) -> HttpResponse:
    """The worker's qualifications, which may be many; requests are few, and on the first page only."""
    now = clock.now()
    settle(now=now)
    held = _read_page(request, records.qualifications_of(worker))
    asked = records.requests_of(worker).order_by("-pk")[:MOST_ASKED] if not held.before else []
    context = {"held": held, "asked": [_asked(one, now=now) for one in asked], **_steps(held)}
    return show(request, "qualifications", worker, context)


@require_GET
@worker_required
def find(request: HttpRequest, worker: Worker) -> HttpResponse:
    words = queries.words_of(request.GET.get("q", ""))
    page = _read_page(request, records.types_to_ask_for(worker, words=words))
    work = work_that_gives([type_.external_id for type_ in page.rows])
    for type_ in page.rows:
        type_.work = work.get(type_.external_id, ())
    query = " ".join(words)
    context = {"page": page, "query": query, **_steps(page, q=query)}
    return show(request, "qualifications_find", worker, context)


@require_GET
@worker_required
def one(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    settle(now=clock.now())
    return _show_type(request, worker, _find_type(worker, type_id))


@require_POST
@worker_required
def ask(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    return _attempt(request, worker, type_id, act=services.ask, then="marketplace:qualification")


@require_POST
@worker_required
def withdraw(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    type_ = _find_type(worker, type_id)
    services.withdraw(type_=type_, worker=worker, now=clock.now())
    return redirect("marketplace:qualification", type_.external_id)


@require_POST
@worker_required
def begin(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    return _attempt(request, worker, type_id, act=services.begin_test, then="marketplace:qualification_test")


@require_GET
@worker_required
def test(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    """The open test; once it is over, a redirect to the type's page with the result."""
    now = clock.now()
    settle(now=now)
    type_ = _find_type(worker, type_id)
    opened = type_.requests.filter(worker=worker, status=Status.STARTED).first()
    if not opened or not opened.deadline_at:
        return redirect("marketplace:qualification", type_.external_id)
    left_s = ceil((opened.deadline_at - now).total_seconds())
    context = {"type": type_, "test": opened, "left_s": left_s, "frame_url": frames.test_url(opened)}
    return show(request, "qualification_test", worker, context)


def _show_type(
    request: HttpRequest, worker: Worker, type_: QualificationType, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    now = clock.now()
    attempt = services.last_attempt(type_=type_, worker=worker)
    context: dict[str, Any] = {
        "type": type_,
        "held": Qualification.objects.filter(type=type_, worker=worker).first(),
        "asked": _asked(attempt, now=now) if attempt else None,
        "obstacle": services.find_obstacle(type_=type_, worker=worker, now=now),
        "refusal": refusal,
    }
    return show(request, "qualification", worker, context, status=status)


def _asked(request: QualificationRequest, *, now: datetime) -> RequestRow:
    again_at = services.again_at(request.type, request)
    return RequestRow(request=request, again_at=again_at, may_try=again_at is not None and again_at <= now)


def _attempt(
    request: HttpRequest, worker: Worker, type_id: str, *, act: Callable[..., object], then: str
) -> HttpResponse:
    """Do the action and redirect, or show the type's page with the reason against it."""
    now = clock.now()
    settle(now=now)
    type_ = _find_type(worker, type_id)
    try:
        act(type_=type_, worker=worker, now=now)
    except services.NotAskable as refusal:
        return _show_type(request, worker, type_, refusal=str(refusal), status=409)
    return redirect(then, type_.external_id)


def _find_type(worker: Worker, external_id: str) -> QualificationType:
    type_ = records.known_types(worker).filter(external_id=external_id).first()
    if not type_:
        raise Http404("There is no such qualification.")
    return type_


def _read_page(request: HttpRequest, rows: Any) -> queries.Page[Any]:
    return queries.read_page(
        rows,
        keyset=records.NEWEST,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=SIZE,
    )


def _steps(page: queries.Page[Any], **query: str) -> dict[str, str]:
    """The addresses of the neighboring pages."""
    ends = {"earlier": {"before": page.before}, "further": {"after": page.after}}
    return {
        name: f"?{urlencode({**query, **end})}" if any(end.values()) else "" for name, end in ends.items()
    }

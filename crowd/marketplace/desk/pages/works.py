"""The page of one piece of work, with its answer when an operator asks for it."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock, frames
from crowd.marketplace.desk.answers import read_answered
from crowd.marketplace.desk.responses import show
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.models import Assignment
from crowd.marketplace.models.parties import Operator
from crowd.marketplace.queries.feedback import read_feedback
from crowd.marketplace.questions import is_framable
from crowd.marketplace.services import operators, reviewing
from crowd.marketplace.services.work import settle
from hits.common.currencies import in_dollars

Status = Assignment.Status


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def detail(request: HttpRequest, operator: Operator, work_id: str) -> HttpResponse:
    now = clock.now()
    settle(now=now)
    work = _find(work_id)
    context = describe_work(work, now=now)
    if request.method == "POST" and work.submitted_at:
        context |= open_answer(work, operator=operator, now=now)
    return show(request, operator, "work", context)


def describe_work(work: Assignment, *, now: datetime) -> dict[str, Any]:
    """Return what the pages say of a piece of work: what happened, and what its requester wrote."""
    return {
        "work": work,
        "steps": list_steps(work),
        "words": read_feedback(work).words,
        "is_turned": work.rejected_at is not None and work.status == Status.APPROVED,
        "approvable_until": reviewing.approvable_until(work, now=now),
    }


def open_answer(work: Assignment, *, operator: Operator, now: datetime) -> dict[str, Any]:
    """Return the answer. It is the requester's, so whoever looks at it leaves an entry in the log."""
    about, note = work.worker.external_id, f"work {work}"
    with operators.do_once(
        operator=operator, token=uuid4(), what="answer looked at", about=about, note=note, now=now
    ):
        return {
            "is_open": True,
            "answers": read_answered(work),
            "files": work.uploads.defer("content"),
            "frame_url": _inspection_url(work, now=now),
        }


def _inspection_url(work: Assignment, *, now: datetime) -> str:
    """The address of the work as its requester's own page shows it; none for pages that are here."""
    is_elsewhere = work.hit.external_url and is_framable(work.hit.external_url)
    return frames.inspection_url(work.hit, now=now, work=work) if is_elsewhere else ""


def list_steps(work: Assignment) -> list[tuple[datetime, str]]:
    """What happened to the work, in the order in which it did."""
    is_automatic = work.approved_at == work.auto_approval_at and not work.rejected_at
    approved = "Approved by the clock: nobody had reviewed it" if is_automatic else "Approved"
    known = [
        (work.accepted_at, "Accepted"),
        (work.submitted_at, "Submitted"),
        (work.rejected_at, "Rejected"),
        (work.approved_at, f"{approved}, after all" if work.rejected_at else approved),
        *((one.granted_at, f"Bonus of {in_dollars(one.amount)}") for one in work.bonuses.all()),
    ]
    return sorted(((at, what) for at, what in known if at), key=lambda step: step[0])


def _find(external_id: str) -> Assignment:
    """Find the work of this id. A returned place bears its id again, so the latest is meant."""
    found = Assignment.objects.select_related("hit__hit_type", "hit__requester", "worker")
    work = found.filter(external_id=external_id).order_by("-pk").first()
    if not work:
        raise Http404
    return work

"""What a signed-in worker sees: list, preview, the framed work, queue and history."""

from typing import Any

from csp.constants import SELF
from csp.utils import build_policy
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from crowd.marketplace import frames, queries
from crowd.marketplace.models import Assignment, HITType, Worker
from crowd.marketplace.services import work as services
from crowd.marketplace.site.session import worker_required


@worker_required
def hit_list(request: HttpRequest, worker: Worker) -> HttpResponse:
    now = timezone.now()
    services.settle(now=now)
    groups = queries.open_groups(worker=worker, now=now)
    return _show(request, "list", worker, {"groups": groups})


@require_GET
@worker_required
def preview(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    now = timezone.now()
    services.settle(now=now)
    group = get_object_or_404(HITType.objects.select_related("requester"), external_id=group_id)
    hit = queries.next_hit(group=group, worker=worker, now=now)
    if not hit:
        return _show(request, "none_left", worker, {"group": group})
    context = {"group": group, "hit": hit, "frame_url": frames.preview_url(hit)}
    return _show(request, "preview", worker, context)


@require_POST
@worker_required
def accept(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """The next HIT of the group that is free for this worker; a race for the last place is told as such."""
    now = timezone.now()
    services.settle(now=now)
    group = get_object_or_404(HITType.objects.select_related("requester"), external_id=group_id)
    if open_work := queries.accepted_work(worker=worker).filter(hit__hit_type=group).first():
        return redirect("marketplace:work", open_work.external_id)
    while hit := queries.next_hit(group=group, worker=worker, now=now):
        try:
            assignment = services.accept_hit(hit_id=hit.pk, worker=worker, now=now)
        except services.NotAvailable:
            continue
        return redirect("marketplace:work", assignment.external_id)
    return _show(request, "none_left", worker, {"group": group})


@require_GET
@worker_required
def work(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    services.settle(now=timezone.now())
    assignment = _own(worker, assignment_id)
    if assignment.status != Assignment.Status.ACCEPTED:
        return _show(request, "work_over", worker, {"assignment": assignment})
    context = {"assignment": assignment, "frame_url": frames.work_url(assignment)}
    return _show(request, "work", worker, context)


@require_POST
@worker_required
def return_work(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    services.return_assignment(assignment=_own(worker, assignment_id), now=timezone.now())
    return redirect("marketplace:list")


@require_GET
@worker_required
def queue(request: HttpRequest, worker: Worker) -> HttpResponse:
    services.settle(now=timezone.now())
    return _show(request, "queue", worker, {"assignments": queries.accepted_work(worker=worker)})


@require_GET
@worker_required
def history(request: HttpRequest, worker: Worker) -> HttpResponse:
    services.settle(now=timezone.now())
    page = Paginator(queries.history(worker=worker), 25).get_page(request.GET.get("page"))
    context = {"page": page, "earnings": queries.earnings(worker=worker)}
    return _show(request, "history", worker, context)


def _own(worker: Worker, external_id: str) -> Assignment:
    """Another worker's assignment does not exist for this one."""
    assignment = (
        Assignment.objects.select_related("hit__hit_type__requester", "hit__requester", "worker")
        .filter(external_id=external_id, worker=worker)
        .first()
    )
    if not assignment:
        raise Http404("This work is not in your queue.")
    return assignment


def _show(request: HttpRequest, page: str, worker: Worker, context: dict[str, Any]) -> HttpResponse:
    """The page frames nothing but the question it shows, and what answers when that is handed in."""
    response = render(request, f"marketplace/{page}.html", {"worker": worker, **context})
    if frame_url := context.get("frame_url"):
        # Ourselves too: handing in takes the frame to our own submit address.
        policy = build_policy(replace={"frame-src": [SELF, frames.origin(frame_url)]})
        response["Content-Security-Policy"] = policy
    return response

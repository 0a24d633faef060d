"""The way from the list to the framed work: find, preview, accept, work, return, queue."""

from collections.abc import Iterator
from datetime import datetime
from math import ceil

from django.db.models import CharField, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_POST, require_safe

from crowd.marketplace import clock, frames, queries
from crowd.marketplace.models import HIT, Assignment, HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.complaints import REPORTED
from crowd.marketplace.queries.feedback import read_feedback
from crowd.marketplace.services import reviewing
from crowd.marketplace.services import work as services
from crowd.marketplace.services.oversight.take_downs import list_acts
from crowd.marketplace.site.access import access_to
from crowd.marketplace.site.hit_list import Find, read_listing
from crowd.marketplace.site.responses import show
from crowd.marketplace.site.session import worker_required
from hits.common.kept_queries import Given, KeptQuery, given_id

TRIES = 5  # a place can be taken between the look-up and the lock


@worker_required
def hit_list(request: HttpRequest, worker: Worker) -> HttpResponse:
    now = clock.now()
    services.settle_unless_just_done(now=now)
    find = Find.read(request.GET)
    listing = read_listing(find, worker=worker, now=now)
    context = {
        "find": find,
        "listing": listing,
        "earlier": find.address(before=listing.before) if listing.before else "",
        "further": find.address(after=listing.after) if listing.after else "",
        "start": find.address(),
        "all_address": find.address(mine=""),
        "assignments": queries.ACCEPTED.rows(worker=worker.pk),
        "now": now,
        "is_returned": "returned" in request.GET,
    }
    return show(request, "list", worker, context)


@require_safe
def preview_by_group_id(request: HttpRequest) -> HttpResponse:
    """Lead on from the address of a preview that programs written for MTurk print."""
    try:
        return redirect("marketplace:preview", group_id=request.GET.get("groupId", ""))
    except NoReverseMatch:
        raise Http404 from None


@require_safe
@worker_required
def preview(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    now = clock.now()
    services.settle_unless_just_done(now=now)
    group = _group(group_id)
    access = access_to(group, worker=worker)
    if not access.can_discover:
        raise Http404
    context = {"group": group, "access": access}
    if not access.can_preview:
        return show(request, "not_for_you", worker, context, status=403)
    hit_id = queries.next_hit_id(group=group, worker=worker, now=now)
    if not hit_id:
        return show(request, "none_left", worker, context)
    hit = HIT.objects.select_related("requester").get(pk=hit_id)
    return show(request, "preview", worker, {**context, "hit": hit, "frame_url": frames.preview_url(hit)})


@require_POST
@worker_required
def accept(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Accept the previewed HIT, or the next free one; the page explains a lost race for the last place."""
    now = clock.now()
    services.settle_unless_just_done(now=now)
    group, open_work = _group_to_accept(group_id, worker=worker)
    if open_work:
        return _to_work(request, open_work)
    reason: Exception | None = None
    for hit_id in _choices(group, worker=worker, wanted=request.POST.get("hit", ""), now=now):
        try:
            accepted = services.accept_hit(hit_id=hit_id, worker=worker, now=now)
            return _to_work(request, accepted.external_id)
        except services.NotForWorker:
            break
        except services.NotAvailable as refusal:
            reason = refusal
    access = access_to(group, worker=worker)
    if not access.can_discover:
        raise Http404
    context = {"group": group, "access": access, "reason": reason, "handed_in": "next" in request.POST}
    if not access.can_accept:
        return show(request, "not_for_you", worker, context, status=403)
    return show(request, "none_left", worker, context, status=409 if reason else 200)


@require_safe
@worker_required
def work(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """The open work in its frame; after it ended, its result."""
    now = clock.now()
    services.settle_unless_just_done(now=now)
    assignment = _own(worker, assignment_id)
    context: dict[str, object] = {
        "assignment": assignment,
        "group": assignment.hit.hit_type,
        "goes_on": "next" in request.GET,
    }
    if assignment.status != Assignment.Status.ACCEPTED:
        return _show_submission(request, worker, context, assignment, now=now)
    context |= {
        "left_s": ceil((assignment.deadline_at - now).total_seconds()),
        "frame_url": frames.work_url(assignment),
        "is_taken_down": assignment.hit.closed_at is not None and bool(list_acts(assignment.hit)),
    }
    response = show(request, "work", worker, context)
    if assignment.hit.external_url:
        # A requester's own page may do its work in a window that leads the frame on at its end.
        response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


@require_POST
@worker_required
def return_work(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    services.return_assignment(assignment=_own(worker, assignment_id), now=clock.now())
    if request.POST.get("from") == "queue":
        return redirect("marketplace:queue")
    return redirect(f"{reverse('marketplace:list')}?returned=1")


@require_safe
@worker_required
def queue(request: HttpRequest, worker: Worker) -> HttpResponse:
    now = clock.now()
    services.settle_unless_just_done(now=now)
    return show(request, "queue", worker, {"assignments": queries.accepted_work(worker=worker), "now": now})


def _show_submission(
    request: HttpRequest, worker: Worker, context: dict[str, object], assignment: Assignment, *, now: datetime
) -> HttpResponse:
    group = assignment.hit.hit_type
    is_returned = assignment.status == Assignment.Status.RETURNED
    values = {
        "is_taken_down": is_returned and bool(list_acts(assignment.hit)),
        "bonuses": assignment.bonuses.order_by("pk"),
        "feedback": read_feedback(assignment),
        "reported": REPORTED.first(hit=assignment.hit_id, worker=worker.pk),
        "approvable_until": reviewing.approvable_until(assignment, now=now),
        "has_more": queries.next_hit_id(group=group, worker=worker, now=now) is not None,
    }
    return show(request, "submission", worker, {**context, **values})


def _choices(group: HITType, *, worker: Worker, wanted: str, now: datetime) -> Iterator[int]:
    """The ids of HITs to try: the one that the worker has seen, then the next free ones."""
    if wanted.isascii() and wanted.isalnum():
        seen = queries.open_hits(worker=worker, now=now).filter(hit_type=group, external_id=wanted)
        yield from seen.values_list("pk", flat=True)
    for _ in range(TRIES):
        if not (hit_id := queries.next_hit_id(group=group, worker=worker, now=now)):
            return
        yield hit_id


def _to_work(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Redirect to the work; a worker who goes on from one HIT to the next continues to do so."""
    address = reverse("marketplace:work", args=[assignment_id])
    return redirect(f"{address}?next=1" if request.POST.get("next") else address)


def _group(external_id: str) -> HITType:
    return get_object_or_404(HITType.objects.select_related("requester"), external_id=external_id)


def _group_to_accept(external_id: str, *, worker: Worker) -> tuple[HITType, str | None]:
    """The group, and the id of the work that the worker has accepted of it and not submitted yet."""
    group = GROUP.first(group=external_id, worker=worker.pk)
    if group is None:
        raise Http404
    return group, group.open_work  # type: ignore[attr-defined]


def _groups_to_accept() -> QuerySet[HITType]:
    mine = queries.accepted_work(worker=given_id("worker")).filter(hit__hit_type=OuterRef("pk"))
    wanted = HITType.objects.filter(external_id=Given("group", CharField())).select_related("requester")
    return wanted.annotate(open_work=Subquery(mine.values("external_id")[:1]))


def _own(worker: Worker, external_id: str) -> Assignment:
    """The worker's own assignment; others count as missing. A reused id means the latest row."""
    assignment = OWN.first(assignment=external_id, worker=worker.pk)
    if not assignment:
        raise Http404("This work is not in your queue.")
    return assignment


GROUP = KeptQuery(_groups_to_accept)
OWN = KeptQuery(
    lambda: (
        Assignment.objects.filter(external_id=Given("assignment", CharField()), worker=given_id("worker"))
        .select_related("hit__hit_type__requester", "hit__requester", "worker")
        .order_by("-pk")[:1]
    )
)

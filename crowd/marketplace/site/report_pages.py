"""A worker reports a problem with a HIT to those who run the marketplace, and reads their answer."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.complaints import complaints_about
from crowd.marketplace.services.oversight import complaints
from crowd.marketplace.site.access import access_to
from crowd.marketplace.site.forms import Report
from crowd.marketplace.site.responses import show, too_many
from crowd.marketplace.site.session import worker_required
from hits.common import rates

MOST_REPORTS, WINDOW_S = 10, 3600


@require_http_methods(["GET", "HEAD", "POST"])
@worker_required
def report(request: HttpRequest, worker: Worker, hit_id: str) -> HttpResponse:
    """Show what the worker has reported of this HIT, and take one report while none is open."""
    hit = get_object_or_404(HIT.objects.select_related("hit_type", "requester"), external_id=hit_id)
    mine = Assignment.objects.filter(hit=hit, worker=worker).order_by("-pk").first()
    reported = list(complaints_about(hit, worker=worker))
    if not (mine or reported or access_to(hit.hit_type, worker=worker).can_preview):
        raise Http404
    is_open = any(one.answered_at is None for one in reported)
    is_second = is_open and request.method == "POST"
    form = None if is_open else Report(request.POST or None)
    if form and form.is_valid():
        if not rates.spend("report", worker.external_id, most=MOST_REPORTS, window_s=WINDOW_S):
            return too_many(request, worker, wait_s=WINDOW_S)
        return _send(request, worker, hit, form)
    context = {
        "hit": hit,
        "group": hit.hit_type,
        "mine": mine,
        "reported": reported,
        "form": form,
        "is_sent": "sent" in request.GET,
        "is_second": is_second or "open" in request.GET,
    }
    status = 409 if is_second else 422 if form and form.errors else 200
    return show(request, "report", worker, context, status=status)


def _send(request: HttpRequest, worker: Worker, hit: HIT, form: Report) -> HttpResponse:
    """Send the report. One that was sent in the same moment by another tab is shown instead."""
    address = reverse("marketplace:report", args=[hit.external_id])
    try:
        complaints.report(worker=worker, hit=hit, **form.cleaned_data, now=clock.now())
    except complaints.StillOpen:
        return redirect(f"{address}?open=1")
    return redirect(f"{address}?sent=1")

"""The live view of a running batch, in numbers and charts."""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from hits import families
from hits.admin.batches import batch_actions, batch_charts, batch_export_pages
from hits.admin.page_parts import events_page, in_words
from hits.admin.selection import signed_in
from hits.batches.queries.live_figures import FEWEST, Live, live_figures, with_changes
from hits.studies.models import Batch
from hits.sync.services.noticing_early_ends import operator_writes
from hits.work import access
from hits.work.models.early_ends import EarlyEnd

EVENTS = 20
# How soon the page polls again while HITs are being sent, and while workers are at work.
SENDING_MS, WORKING_MS = 2000, 5000
Status = Batch.Status
WORDS = {
    Status.LAUNCHING: "HITs are on their way to the provider.",
    Status.PAUSED: "Nothing more is sent and no further worker starts. Work in progress still counts.",
    Status.PAUSED_FUNDS: "The account is out of money. Nothing more is sent.",
    Status.OPEN: "Workers can take the HITs.",
    Status.DRAINING: "No new work starts. The batch ends when the last work in progress is in.",
    Status.COMPLETE: "Every HIT is over.",
    Status.CANCELLED: "No worker is at work on it any more. Submitted work stays.",
}
ADVICE = {
    Status.PAUSED_FUNDS: "Put money in, then resume.",
    Status.PAUSED: "Fix what the provider names, then resume.",
}


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    """The addresses of this module and of its neighbors, under the batch's own address."""
    view = batches.admin_site.admin_view(partial(live_view, batches))
    live = path("<int:batch_id>/live/", view, name="hits_batch_live")
    return [live, *batch_actions.urls(batches), *batch_export_pages.urls(batches)]


def live_view(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the live view; with ?fragment, only the part that the page polls for."""
    if not batches.has_view_permission(request):
        raise PermissionDenied
    rows = with_changes(Batch.objects.select_related("study", "account"))
    batch = get_object_or_404(access.visible(rows, request.user), pk=batch_id)
    if batch.launched_at is None:
        return redirect("admin:hits_batch_launch", batch.pk)
    context = live_context(request, batch, now=timezone.now())
    if "fragment" in request.GET:
        return TemplateResponse(request, "admin/hits/live_parts.html", context)
    page = {**batches.admin_site.each_context(request), **context, "title": "Live view"}
    return TemplateResponse(request, "admin/hits/live.html", page)


def live_context(request: HttpRequest, batch: Batch, *, now: datetime) -> dict[str, Any]:
    live = live_figures(batch, now=now)
    return {
        "batch": batch,
        "live": live,
        "every_ms": _every_ms(batch, live),
        "state": _state_of(batch, live),
        "end_reasons": _end_reasons_of(batch),
        "money": _money_of(batch),
        "pilot": _pilot_of(batch, live),
        "wage": _wage_of(batch, live),
        "finish": _finish_of(batch, live),
        "verbs": batch_actions.offered_for(batch, posting=live.posting, user=signed_in(request)),
        "may_copy": request.user.has_perm("hits.add_batch") and families.is_offered(batch.task),
        "may_export": request.user.has_perm(batch_export_pages.EXPORT),
        "submissions": batch_charts.draw_submissions(live.work.over_time, places=live.posting.places),
        "times": batch_charts.draw_times(live.times.bars, median_s=live.times.median_s),
        "times_unit": batch_charts.unit_of(live.times.bars[-1])[1] if live.times.bars else "",
        "median": batch_charts.duration(live.times.median_s),
        **_events_of(request, batch),
    }


def _every_ms(batch: Batch, live: Live) -> int:
    """How often the page polls; 0 if nothing changes by itself any more."""
    changes = batch.changes_waiting  # type: ignore[attr-defined]
    if batch.status in (Status.LAUNCHING, Status.DRAINING) or changes:
        return SENDING_MS
    moves = batch.status == Status.OPEN or live.work.waiting or live.work.in_progress or batch.is_stale
    return WORKING_MS if moves else 0


def _state_of(batch: Batch, live: Live) -> dict[str, Any]:
    """What the batch is doing, what the provider said, and what to do about that."""
    status = Status(batch.status)
    words = WORDS[status]
    if status == Status.OPEN and live.posting.held_back:
        words = "The pilot is out. The rest waits until you have seen it."
    elif status == Status.OPEN:
        words = _what_workers_find(batch, live)
    advice = ADVICE.get(status, "") if batch.problem or status == Status.PAUSED_FUNDS else ""
    if status == Status.PAUSED and not batch.problem:
        advice = "Resume when you want it to go on."
    return {"words": words, "advice": advice, "task": _task_name(batch)}


def _what_workers_find(batch: Batch, live: Live) -> str:
    """Say whether workers can take the HITs of an open batch: some may have ended before their time."""
    if not live.posting.startable and live.posting.sent:
        return "No worker can take a HIT now."
    ended = batch.ended_early  # type: ignore[attr-defined]
    return "Workers can take the other HITs." if ended else WORDS[Status.OPEN]


def _end_reasons_of(batch: Batch) -> str:
    """Quote what the marketplace's operator wrote of HITs that ended early; most batches have none."""
    if not batch.ended_early:  # type: ignore[attr-defined]
        return ""
    reasons = EarlyEnd.objects.in_force().filter(hit__batch=batch).reasons()
    return operator_writes(reasons) if reasons else ""


def _task_name(batch: Batch) -> str:
    family = families.registered().get(batch.task)
    return family.name if family else batch.task


def _money_of(batch: Batch) -> dict[str, Any]:
    """The batch's money. What was spent is counted with the other figures, seconds after a change."""
    return {
        "spent": batch.figures.get("spent"),
        "owed": batch.figures.get("bonuses_owed"),
        "paid": batch.figures.get("bonuses_paid"),
        "budget": batch.study.budget,
        "left": batch.study.budget_left,
    }


def _pilot_of(batch: Batch, live: Live) -> dict[str, Any] | None:
    """The pilot's progress while the other HITs wait for it, or None."""
    if not live.posting.held_back:
        return None
    hits = live.posting.intended - live.posting.held_back
    is_done = bool(hits) and live.posting.closed >= hits
    return {"hits": hits, "done": live.posting.closed, "rest": live.posting.held_back, "is_done": is_done}


def _wage_of(batch: Batch, live: Live) -> dict[str, Any]:
    """Wages compared with the study's floor, in words: a color alone would not say it."""
    floor, median, tenth = batch.study.wage_floor, live.times.median_hourly, live.times.tenth_hourly
    return {
        "floor": floor,
        "median_is_low": floor is not None and median is not None and median < floor,
        "tenth_is_low": floor is not None and tenth is not None and tenth < floor,
        "paid_is_low": batch.figures.get("is_below_floor", False),
        "tenth_paid": batch.figures.get("p10_paid"),
    }


def _finish_of(batch: Batch, live: Live) -> str:
    if batch.status in (Status.COMPLETE, Status.CANCELLED):
        return "It is over."
    if not live.left:
        return "Every place is filled." if live.posting.places else "No HITs yet."
    if batch.status in (Status.PAUSED, Status.PAUSED_FUNDS):
        return "Not while it is paused."
    if live.left_s is None:
        return f"Not enough yet to tell: it takes {FEWEST} submissions."
    return f"In about {in_words(max(live.left_s, 60))}, at {live.an_hour:.0f} an hour."


def _events_of(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    return events_page(batch.events.select_related("by"), before=request.GET.get("before", ""), most=EVENTS)

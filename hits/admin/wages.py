"""What an hour of a batch's work pays, and top-ups to the study's floor: shown, asked, then proposed."""

from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils import timezone

from hits import access
from hits.admin.batches.charts import duration
from hits.admin.parts import read_number
from hits.admin.selecting import signed_in
from hits.domain import round_to_cents
from hits.errors import RuleBroken
from hits.models import Batch, Bonus
from hits.queries.wages import Pay, pay_of, top_ups_due, top_ups_made
from hits.services import wages

# Of those that lack something the page names so many, the worst paid first.
SHOWN = 50


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    """Under the batch's own address."""
    shown = batches.admin_site.admin_view
    return [
        path("<int:batch_id>/wages/", shown(partial(wages_view, batches)), name="hits_wages"),
        path(
            "<int:batch_id>/wages/propose/", shown(partial(propose_view, batches)), name="hits_wages_propose"
        ),
    ]


def wages_view(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> HttpResponse:
    batch = _find_batch(batches, request, batch_id)
    pay = pay_of(batch)
    context = {
        "title": "Wages",
        "pay": pay,
        "bars": _bars(pay),
        "lacking": [
            {"row": row, "time": duration(row.seconds), "fee": batch.prices.fees.on_bonus(row.amount)}
            for row in (top_ups_due(batch, most=SHOWN) if pay.due else [])
        ],
        "made": _made(batch),
        "runs_url": _runs_url(request),
        "may_propose": request.user.has_perm(wages.PROPOSE),
        "may_change_study": request.user.has_perm("hits.change_study"),
    }
    return _render(batches, request, "admin/hits/wages.html", batch, context)


def propose_view(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> HttpResponse:
    """Asks first, with the whole sum; a POST that was not asked about lands on the question."""
    batch = _find_batch(batches, request, batch_id)
    if not request.user.has_perm(wages.PROPOSE):
        raise PermissionDenied
    seen = _read_seen(request)
    if seen is not None:
        return _propose(request, batch, seen)
    due = top_ups_due(batch, most=wages.SLICE)
    if not due:
        messages.info(request, "No approved work lacks anything to the floor: there is nothing to propose.")
        return redirect("admin:hits_wages", batch.pk)
    total = sum((row.amount for row in due), Decimal(0))
    fees = sum((batch.prices.fees.on_bonus(row.amount) for row in due), Decimal(0))
    left = batch.study.budget_left
    context = {
        "title": "Propose top-ups?",
        "count": len(due),
        "rest": max(0, pay_of(batch).due - len(due)),
        "total": total,
        "fees": fees,
        "cost": total + fees,
        "left": left,
        "is_over_budget": left is None or total + fees > left,
        "example": wages.reason_of(due[0], floor=batch.study.wage_floor or Decimal(0)),
        "largest": max(row.amount for row in due),
    }
    return _render(batches, request, "admin/hits/wages_propose.html", batch, context)


def _propose(request: HttpRequest, batch: Batch, seen: tuple[int, Decimal]) -> HttpResponse:
    try:
        made = wages.propose_top_ups(batch=batch, seen=seen, by=signed_in(request), now=timezone.now())
    except RuleBroken as refusal:
        messages.error(request, f"{refusal} Nothing was proposed.")
    else:
        noun = "top-up is" if len(made) == 1 else "top-ups are"
        messages.success(
            request, f"{len(made)} {noun} owed now, ${seen[1]} in all. Put them into the next run."
        )
    return redirect("admin:hits_wages", batch.pk)


def _read_seen(request: HttpRequest) -> tuple[int, Decimal] | None:
    """What the question said; None if nobody has answered it."""
    if request.method != "POST" or "confirmed" not in request.POST:
        return None
    count = read_number(request.POST.get("count", ""))
    try:
        total = Decimal(request.POST.get("total", ""))
    except InvalidOperation:
        return None
    return (count, total) if count is not None and total.is_finite() else None


def _find_batch(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> Batch:
    """A batch of somebody else's study does not exist for who may not see it."""
    if not batches.has_view_permission(request):
        raise PermissionDenied
    rows = Batch.objects.select_related("study", "account").exclude(launched_at=None)
    return get_object_or_404(access.visible(rows, request.user), pk=batch_id)


def _bars(pay: Pay) -> list[dict[str, Any]]:
    """In words too: what lies below the floor is said, and not only drawn."""
    floor = pay.floor
    return [
        {
            "words": f"${bar.start:f} to ${bar.end:f}" if bar.end is not None else f"${bar.start:f} and more",
            "count": bar.count,
            "is_below": floor is not None and bar.end is not None and bar.end <= floor,
            "has_floor": floor is not None and bar.start < floor and (bar.end is None or floor < bar.end),
        }
        for bar in pay.bars
    ]


def _made(batch: Batch) -> list[dict[str, Any]]:
    """The top-ups so far, by what became of them."""
    counted = (
        top_ups_made(batch).order_by("status").values("status").annotate(n=Count("pk"), sum=Sum("amount"))
    )
    return [
        {"status": Bonus.Status(row["status"]).label, "n": row["n"], "sum": round_to_cents(row["sum"])}
        for row in counted
    ]


def _runs_url(request: HttpRequest) -> str:
    if not request.user.has_perm(wages.PROPOSE):
        return ""
    try:
        return reverse("admin:hits_run_prepare")
    except NoReverseMatch:
        return ""


def _render(
    batches: admin.ModelAdmin[Batch],
    request: HttpRequest,
    template: str,
    batch: Batch,
    context: dict[str, Any],
) -> HttpResponse:
    shared = {**batches.admin_site.each_context(request), "batch": batch, "floor": batch.study.wage_floor}
    return TemplateResponse(request, template, {**shared, **context})

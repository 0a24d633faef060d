"""What today's scores make more of a batch's work than is owed: shown, with a reason asked for, then owed."""

from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from hits import access
from hits.admin.parts import read_number
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import Batch, Bonus
from hits.services import owing, owing_anew

# Of those that lack something the page names so many.
SHOWN = 50


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    """Under the batch's own address; `?work=` is one submission of it."""
    view = batches.admin_site.admin_view(partial(owe_again_view, batches))
    return [path("<int:batch_id>/owe-again/", view, name="hits_owe_again")]


def owe_again_view(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> HttpResponse:
    """A GET only looks; a POST owes what was seen, or says why it did not."""
    if not batches.has_view_permission(request) or not request.user.has_perm(owing_anew.OWE):
        raise PermissionDenied
    rows = Batch.objects.select_related("study", "account").exclude(launched_at=None)
    batch = get_object_or_404(access.visible(rows, request.user), pk=batch_id)
    work = read_number(request.GET.get("work", ""))
    if request.method != "POST":
        return _page(batches, request, batch, work=work)
    try:
        made = owing_anew.owe_lacking(
            batch=batch,
            seen=_read_seen(request),
            why=request.POST.get("why", "").strip(),
            by=signed_in(request),
            now=timezone.now(),
            work=work,
        )
    except RuleBroken as refusal:
        messages.error(request, f"{refusal} Nothing was owed.")
        return _page(batches, request, batch, work=work, status=409)
    noun = "bonus is" if len(made) == 1 else "bonuses are"
    total = owing_anew.total_of(made)
    messages.success(request, f"{len(made)} {noun} owed now, ${total} in all. Put them into the next run.")
    return redirect("admin:hits_batch_live", batch.pk)


def _page(
    batches: admin.ModelAdmin[Batch],
    request: HttpRequest,
    batch: Batch,
    *,
    work: int | None,
    status: int = 200,
) -> HttpResponse:
    made = owing_anew.lacking_in(batch=batch, work=work, now=timezone.now())
    fees = sum((batch.prices.fees.on_bonus(bonus.amount) for bonus in made), Decimal(0))
    total, left = owing_anew.total_of(made), batch.study.budget_left
    context = {
        **batches.admin_site.each_context(request),
        "title": "What today’s scores make more of it",
        "batch": batch,
        "is_one": work is not None,
        "rows": [_row(bonus) for bonus in made[:SHOWN]],
        "count": len(made),
        "total": total,
        "fees": fees,
        "left": left,
        "is_over_budget": left is None or total + fees > left,
        "why": request.POST.get("why", ""),
        "longest": owing.LONGEST_WHY,
    }
    return TemplateResponse(request, "admin/hits/owe_again.html", context, status=status)


def _row(bonus: Bonus) -> dict[str, Any]:
    before = Decimal(bonus.figures.get("owed_before", 0))
    return {"bonus": bonus, "before": before, "today": before + bonus.amount}


def _read_seen(request: HttpRequest) -> tuple[int, Decimal]:
    """What the page said. What cannot be read was seen by nobody."""
    try:
        total = Decimal(request.POST.get("total", ""))
    except InvalidOperation:
        return (0, Decimal(0))
    return (read_number(request.POST.get("count", "")) or 0, total if total.is_finite() else Decimal(0))

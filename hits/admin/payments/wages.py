"""The hourly pay of a batch's work, and top-ups to the study's floor: shown, confirmed, then proposed."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import pluralize
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.batches.batch_charts import duration
from hits.admin.page_parts import batch_trail
from hits.admin.sums import NO_MONEY_YET, read_seen, sum_up
from hits.batches.queries.hourly_pay import Pay, pay_of, top_ups_due, top_ups_made
from hits.common.currencies import in_money
from hits.core.domain.money import round_to_cents
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import wage_top_ups
from hits.studies.models import Batch
from hits.work import access

# The page names this many of those below the floor, the worst paid first.
SHOWN = 50


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    """The addresses below the batch's own."""
    shown = batches.admin_site.admin_view
    propose = shown(_pages(batches).view("propose"))
    return [
        path("<int:batch_id>/wages/", shown(partial(wages_view, batches)), name="hits_wages"),
        path("<int:batch_id>/wages/propose/", propose, name="hits_wages_propose"),
    ]


def wages_view(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> HttpResponse:
    batch = find_batch(batches, request, batch_id)
    pay = pay_of(batch)
    context = {
        **batches.admin_site.each_context(request),
        "title": "Wages",
        "batch": batch,
        "floor": batch.study.wage_floor,
        "pay": pay,
        "bars": _bars(pay, currency=batch.currency),
        "lacking": [
            {"row": row, "time": duration(row.seconds), "fee": batch.prices.fees.on_bonus(row.amount)}
            for row in (top_ups_due(batch, most=SHOWN) if pay.due else [])
        ],
        "made": _made(batch),
        "runs_url": _runs_url(request),
        "may_propose": request.user.has_perm(wage_top_ups.PROPOSE),
        "may_change_study": request.user.has_perm("hits.change_study"),
    }
    return TemplateResponse(request, "admin/hits/wages.html", context)


def _ask(call: Call[Batch]) -> Confirm:
    batch, due = call.row, top_ups_due(call.row, most=wage_top_ups.SLICE)
    floor, cost = batch.study.wage_floor or Decimal(0), sum_up(batch, (row.amount for row in due))
    rest = max(0, pay_of(batch).due - cost.count)
    largest = max((row.amount for row in due), default=Decimal(0))
    each = (
        f"for the workers, at most {in_money(largest, batch.currency)} for one submission{cost.fees_in_words}"
    )
    lifted = f"submission{pluralize(cost.count)} {pluralize(cost.count, 'is,are')} lifted"
    return Confirm(
        title="Propose top-ups?",
        text=emphasize("Batch {} of {} on {}.", batch.title, batch.study, batch.account),
        consequences=[
            f"{cost.count} {lifted} to {in_money(floor, batch.currency)} an hour.",
            emphasize("That is {} {each}.", in_money(cost.total, batch.currency), each=each),
            *(f"Workers read such as: “{wage_top_ups.reason_of(row, floor=floor)}”" for row in due[:1]),
            NO_MONEY_YET,
            *([f"{rest} more submissions are left for the next time."] if rest else []),
        ],
        cost=cost.cost,
        problem=cost.problem(done="proposed"),
        is_blocked=cost.is_over_budget,
        button=f"Propose {cost.count} top-up{pluralize(cost.count)}",
        hidden=cost.seen,
    )


def _is_nothing_due(call: Call[Batch]) -> str:
    """A refusal if no work is below the floor. After a confirmation, only the service checks again."""
    if "confirmed" in call.sent or top_ups_due(call.row, most=1):
        return ""
    return "No approved work is below the floor: there is nothing to propose."


def _propose(call: Call[Batch]) -> Outcome:
    seen = read_seen(call.sent)
    made = wage_top_ups.propose_top_ups(batch=call.row, seen=seen, by=call.by, now=call.now)
    noun = "top-up is" if len(made) == 1 else "top-ups are"
    total = in_money(seen[1], call.row.currency)
    return Outcome(said=f"{len(made)} {noun} owed now, {total} in all. Put them into the next run.")


PROPOSE = Action(
    label="Propose top-ups",
    permissions=[wage_top_ups.PROPOSE],
    refuses=_is_nothing_due,
    needs_confirmed=True,
    confirm=_ask,
    run=_propose,
    undone="Nothing was proposed.",
)


def _pages(batches: admin.ModelAdmin[Batch]) -> ActionPages[Batch]:
    def address(found: Sequence[Batch]) -> str:
        return reverse("admin:hits_wages", args=[found[0].pk])

    return ActionPages(
        actions={"propose": PROPOSE},
        find=lambda request, batch_id: [find_batch(batches, request, batch_id)],
        back=address,
        shared=lambda found: {"trail": [*batch_trail(found[0]), ("Wages", address(found))]},
    )


def find_batch(batches: admin.ModelAdmin[Batch], request: HttpRequest, batch_id: int) -> Batch:
    """The batch; 404 if it belongs to a study that this user may not see."""
    if not batches.has_view_permission(request):
        raise PermissionDenied
    rows = Batch.objects.select_related("study", "account").exclude(launched_at=None)
    return get_object_or_404(access.visible(rows, request.user), pk=batch_id)


def _bars(pay: Pay, *, currency: str) -> list[dict[str, Any]]:
    """The histogram's bars, which say in words what is below the floor and do not only draw it."""
    floor = pay.floor
    return [
        {
            "words": f"{in_money(bar.start, currency)} to {in_money(bar.end, currency)}"
            if bar.end is not None
            else f"{in_money(bar.start, currency)} and more",
            "count": bar.count,
            "is_below": floor is not None and bar.end is not None and bar.end <= floor,
            "has_floor": floor is not None and bar.start < floor and (bar.end is None or floor < bar.end),
        }
        for bar in pay.bars
    ]


def _made(batch: Batch) -> list[dict[str, Any]]:
    """The top-ups so far, by status."""
    counted = (
        top_ups_made(batch).order_by("status").values("status").annotate(n=Count("pk"), sum=Sum("amount"))
    )
    return [
        {"status": Bonus.Status(row["status"]).label, "n": row["n"], "sum": round_to_cents(row["sum"])}
        for row in counted
    ]


def _runs_url(request: HttpRequest) -> str:
    if not request.user.has_perm(wage_top_ups.PROPOSE):
        return ""
    try:
        return reverse("admin:hits_run_prepare")
    except NoReverseMatch:
        return ""

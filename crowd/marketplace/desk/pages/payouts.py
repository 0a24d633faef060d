"""Money owed to workers: the payment list, and marking it as paid."""

from collections.abc import Sequence
from decimal import Decimal

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import PaidForm, PaymentsForm, ReasonForm, ReferenceForm
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Payout
from crowd.marketplace.models.parties import Operator, Worker
from crowd.marketplace.services import epochs
from crowd.marketplace.services import payouts as services
from crowd.marketplace.services.operators import about_people
from crowd.marketplace.services.work import settle
from crowd.marketplace.spreadsheets import csv_file
from hits.common.currencies import in_dollars

HISTORY_HEADER = ("paid at", "worker id", "name", "amount", "reference", "marked by", "taken back")
NOBODY_TICKED = (
    "Nothing was done, because no worker is ticked. Tick the workers in the list, or “All …” below it, and "
    "press again."
)


@require_safe
@operator_required
def index(request: HttpRequest, operator: Operator) -> HttpResponse:
    settle(now=clock.now())
    return _index(request, operator)


def _index(request: HttpRequest, operator: Operator, *, problem: str = "") -> HttpResponse:
    search, sort = lists.searched(request), lists.sorted_by(request, queries.OWED_SORTS)
    context = {
        "problem": problem,
        "page": lists.paged(request, queries.owed_workers(search=search, sort=sort)),
        "search": search,
        "sort": sort,
        "count": queries.owed_workers().count(),
        "sum": queries.owed_sum(),
    }
    return show(request, operator, "payouts", context, status=409 if problem else 200)


@require_POST
@operator_required
def selected(request: HttpRequest, operator: Operator) -> HttpResponseBase:
    """The ticked workers, as a payment file or on the page that marks them as paid."""
    chosen = _chosen(request)
    if chosen is None:
        return _index(request, operator, problem=NOBODY_TICKED)
    if request.POST.get("do") == "file":
        epochs.refuse_list_to_pay()
        rows = ((worker.external_id, worker.name, worker.owed) for worker in chosen.iterator(chunk_size=1000))
        return csv_file(f"payouts-{clock.now():%Y-%m-%d}", header=services.HEADER, rows=rows)
    payments = services.owed_to(chosen[: services.MOST_AT_ONCE])
    return _review(request, operator, payments)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def review(request: HttpRequest, operator: Operator) -> HttpResponse:
    """Show what is about to be marked as paid, from pasted lines in the format of the exported file."""
    form = PaymentsForm(request.POST or None)
    if not form.is_valid():
        status = 422 if form.errors else 200
        return show(request, operator, "payouts_paste", {"form": form}, status=status)
    return _review(request, operator, services.read_payments(form.cleaned_data["lines"]))


@require_POST
@operator_required
def mark_paid(request: HttpRequest, operator: Operator) -> HttpResponse:
    form = PaidForm(request.POST)
    if not form.is_valid():
        raise RuleBroken("The list or the reference is too long, or is not text. Nothing was changed.")
    payments = services.read_payments(form.cleaned_data["lines"])
    reference = form.cleaned_data["reference"]
    total = in_dollars(sum((payment.amount for payment in payments), Decimal(0)))
    paid_to = f"{total} to {len(payments)} worker{pluralize(len(payments))}"
    about, note = about_people(
        [payment.worker.external_id for payment in payments],
        note=f"{paid_to}: {reference}" if reference else paid_to,
    )
    with doing(request, operator, "paid", about=about, note=note):
        services.pay(payments=payments, reference=reference, paid_by=operator.sign_in_name, now=clock.now())
    count = f"{len(payments)} payout{pluralize(len(payments))}"
    return tell(f"{total} marked as paid, in {count}.", "desk:payout_history")


@require_safe
@operator_required
def history(request: HttpRequest, operator: Operator) -> HttpResponse:
    search = lists.searched(request)
    page = lists.paged(request, queries.payouts(search=search))
    rows = queries.with_take_backs(page.object_list)
    return show(request, operator, "payout_history", {"page": page, "rows": rows, "search": search})


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def take_back(request: HttpRequest, operator: Operator, payout_id: int) -> HttpResponse:
    """Owe again what was marked as paid by mistake."""
    payout = get_object_or_404(Payout.objects.select_related("worker"), pk=payout_id)
    worker, amount = payout.worker, in_dollars(payout.amount)
    form = ReasonForm(request.POST or None)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"Take back the payout of {amount} to {worker}?",
            text=[
                "Only if this money was not sent, or came back: the worker is owed it again.",
                "The payout stays in the history as taken back, and the ledger keeps both.",
            ],
            button=f"Take back, and owe {amount} again",
            back=reverse("desk:payout_history"),
            form=form,
        )
    reason = form.cleaned_data["reason"]
    note = f"{amount} of {payout.paid_at:%Y-%m-%d}: {reason}"[:500]
    with doing(request, operator, queries.TAKEN_BACK, about=worker.external_id, note=note):
        services.take_back(payout=payout, now=clock.now())
    return tell(f"Taken back: {worker} is owed {amount} again.", "desk:payout_history")


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def add_reference(request: HttpRequest, operator: Operator, payout_id: int) -> HttpResponse:
    payout = get_object_or_404(Payout.objects.select_related("worker"), pk=payout_id, reference="")
    worker, amount = payout.worker, in_dollars(payout.amount)
    form = ReferenceForm(request.POST or None)
    if not form.is_valid():
        return ask(
            request,
            operator,
            title=f"The reference of {amount} to {worker}",
            text=["It was marked as paid without one. It can be added once, and not changed afterwards."],
            button="Add the reference",
            back=reverse("desk:payout_history"),
            form=form,
        )
    reference = form.cleaned_data["reference"]
    note = f"{amount}: {reference}"
    with doing(request, operator, "payout reference added", about=worker.external_id, note=note):
        services.add_reference(payout=payout, reference=reference)
    return tell("The reference is added.", "desk:payout_history")


@require_safe
@operator_required
def history_file(request: HttpRequest, operator: Operator) -> StreamingHttpResponse:
    """All payouts that the search finds, as a file."""
    rows = (
        (
            payout.paid_at.isoformat(),
            payout.worker.external_id,
            payout.worker.name,
            payout.amount,
            payout.reference,
            payout.paid_by,
            "yes" if payout.is_taken_back else "",
        )
        for payout in queries.payouts(search=lists.searched(request)).iterator(chunk_size=1000)
    )
    return csv_file("paid", header=HISTORY_HEADER, rows=rows)


def _chosen(request: HttpRequest) -> QuerySet[Worker] | None:
    """The ticked workers, or all that are owed; None if nobody is ticked."""
    owed = queries.owed_workers()
    if request.POST.get("everybody"):
        return owed
    ticked = [external_id.replace("\0", "") for external_id in request.POST.getlist("worker")]
    return owed.filter(external_id__in=ticked) if ticked else None


def _review(request: HttpRequest, operator: Operator, payments: Sequence[services.Payment]) -> HttpResponse:
    if not payments:
        raise RuleBroken(
            "The workers you ticked are owed nothing. Another operator may have marked it as paid already."
        )
    context = {
        "payments": payments,
        "total": sum(payment.amount for payment in payments),
        "fit": all(payment.fits for payment in payments),
        "form": PaidForm(initial={"lines": services.write_payments(payments)}),
    }
    return show(request, operator, "payouts_review", context)

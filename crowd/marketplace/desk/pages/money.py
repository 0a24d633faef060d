"""A requester's money: deposits, withdrawals, and every transfer."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from crowd.marketplace import clock
from crowd.marketplace.desk import lists, queries
from crowd.marketplace.desk.forms import TransferForm
from crowd.marketplace.desk.pages.requesters import find_requester
from crowd.marketplace.desk.responses import ask, doing, show, tell
from crowd.marketplace.desk.session import operator_required
from crowd.marketplace.desk.subjects import with_pages
from crowd.marketplace.models.parties import Operator, Requester
from crowd.marketplace.queries import LATEST, read_page
from crowd.marketplace.services import requesters as services
from crowd.marketplace.spreadsheets import csv_file
from hits.common.currencies import in_dollars

HEADER = ("at", "from", "to", "amount", "about", "transfer")


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def deposit(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = TransferForm(request.POST or None)
    if not form.is_valid():
        title, text = (
            f"A deposit of {requester}",
            "Money that you have received, and that the requester may spend from now on.",
        )
        return _ask_amount(
            request, operator, requester, form, title=title, text=text, button="Book the deposit"
        )
    amount, note = form.cleaned_data["amount"], form.cleaned_data["note"]
    with doing(
        request, operator, "deposit", about=requester.external_id, note=f"{in_dollars(amount)} {note}"
    ):
        services.deposit(requester_id=requester.pk, amount=amount, note=note, now=clock.now())
    return tell(f"{in_dollars(amount)} are booked as a deposit.", "desk:requester", requester_id)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_required
def withdraw(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    form = TransferForm(request.POST or None)
    if form.is_valid() and form.cleaned_data["amount"] > requester.available:
        form.add_error("amount", f"Only {in_dollars(requester.available)} are available.")
    if not form.is_valid():
        title, text = (
            f"A withdrawal of {requester}",
            f"Up to {in_dollars(requester.available)}, which you pay back to the requester.",
        )
        return _ask_amount(
            request, operator, requester, form, title=title, text=text, button="Book the withdrawal"
        )
    amount, note = form.cleaned_data["amount"], form.cleaned_data["note"]
    with doing(
        request, operator, "withdrawal", about=requester.external_id, note=f"{in_dollars(amount)} {note}"
    ):
        services.withdraw(requester_id=requester.pk, amount=amount, note=note, now=clock.now())
    return tell(f"{in_dollars(amount)} are booked as withdrawn.", "desk:requester", requester_id)


@require_safe
@operator_required
def ledger(request: HttpRequest, operator: Operator, requester_id: str) -> HttpResponse:
    requester = find_requester(requester_id)
    page = read_page(
        queries.transfers(requester=requester),
        keyset=LATEST,
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
        size=lists.ROWS_ON_A_PAGE,
    )
    context = {
        "requester": requester,
        "page": page,
        "transfers": with_pages(page.rows),
        "earlier": f"?before={page.before}" if page.before else "",
        "further": f"?after={page.after}" if page.after else "",
    }
    return show(request, operator, "ledger", context)


@require_safe
@operator_required
def ledger_file(request: HttpRequest, operator: Operator, requester_id: str) -> StreamingHttpResponse:
    requester = find_requester(requester_id)
    rows = queries.transfers(requester=requester).values_list(
        "created_at", "source", "account", "amount", "subject", "transfer"
    )
    return csv_file(f"ledger-{requester.external_id}", header=HEADER, rows=rows.iterator(chunk_size=1000))


def _ask_amount(
    request: HttpRequest,
    operator: Operator,
    requester: Requester,
    form: TransferForm,
    *,
    title: str,
    text: str,
    button: str,
) -> HttpResponse:
    return ask(
        request,
        operator,
        title=title,
        text=[text],
        button=button,
        back=reverse("desk:requester", args=[requester.external_id]),
        form=form,
    )

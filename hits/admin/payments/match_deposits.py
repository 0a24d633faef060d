"""The page that records an account's deposits and withdrawals."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import read_number
from hits.admin.payments.match_parts import ADD_DEPOSIT, PAGE, VIEW_DEPOSIT, find_account, render
from hits.admin.selection import need
from hits.common.currencies import name_of
from hits.payments.models.matches import Deposit, Difference
from hits.payments.queries import match_rows as queries
from hits.payments.services import deposits
from hits.providers.models.accounts import Account


class DepositForm(forms.Form):
    """A form for a deposit or a withdrawal: the kind gives the sign, which no user has to type."""

    kind = forms.ChoiceField(
        label="What happened",
        choices=[("in", "Money went in: a deposit"), ("out", "Money came back: a withdrawal")],
    )
    amount = forms.DecimalField(
        label="Amount", min_value=Decimal("0.01"), max_value=deposits.MOST, decimal_places=2
    )
    words = forms.CharField(
        label="What it was",
        max_length=200,
        help_text="For later readers of the books, such as the number of the transfer.",
    )

    def __init__(self, data: Any = None, *, currency: str, **kwargs: Any) -> None:
        super().__init__(data, label_suffix="", **kwargs)
        self.fields["amount"].label = f"Amount in {name_of(currency)}"


def deposits_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form; a POST records a deposit, and a refused one is shown again as it was typed."""
    if request.method == "POST":
        return RECORDING.answer(request, "record", pk=pk)
    account = _find(request, pk)
    return _page(
        request, account, DepositForm(initial=_suggested(request, account), currency=account.currency)
    )


def _page(request: HttpRequest, account: Account, form: forms.BaseForm) -> HttpResponse:
    rows = Deposit.objects.filter(account=account).select_related("by").order_by("-pk")
    context = {
        "title": f"Deposits of {account.name}",
        "account": account,
        "form": form,
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "keep": "",
        "total": queries.deposited(account),
        "may_deposit": request.user.has_perm(ADD_DEPOSIT),
    }
    return render(request, "deposits.html", context)


def _find(request: HttpRequest, pk: int) -> Account:
    need(request, VIEW_DEPOSIT)
    return find_account(request, pk)


def _record(call: Call[Account]) -> Outcome:
    amount, words = call.values["amount"], call.values["words"]
    signed = amount if call.values["kind"] == "in" else -amount
    deposits.record_deposit(account=call.row, amount=signed, words=words, by=call.by, now=call.now)
    return Outcome(said="Recorded. Compare the account again to see whether the books agree.")


def _suggested(request: HttpRequest, account: Account) -> dict[str, Any]:
    """Values that would explain the balance difference from which the page was opened."""
    pk = read_number(request.GET.get("difference", ""))
    rows = queries.differences_for(request.user).filter(
        account=account, cause=Difference.Cause.BALANCE, resolved_at=None
    )
    row = rows.filter(pk=pk).first() if pk else None
    if row is None or row.ours is None or row.theirs is None:
        return {}
    off = row.theirs - row.ours
    return {"kind": "in" if off > 0 else "out", "amount": abs(off)}


RECORDING = ActionPages(
    actions={
        "record": Action(
            label="Record the transfer",
            permissions=[ADD_DEPOSIT],
            form=lambda data, call: DepositForm(data, currency=call.row.currency),
            run=_record,
        )
    },
    find=lambda request, pk: [_find(request, pk)],
    back=lambda accounts: reverse("admin:hits_deposits", args=[accounts[0].pk]),
    page=lambda request, accounts, form: _page(request, accounts[0], form),
)

"""Differences that comparisons found: their list and search, and the page that closes each."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import NoReverseMatch, reverse

from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.payments.match_parts import ADD_DEPOSIT, PAGE, RUN, VIEW, render
from hits.admin.selection import need
from hits.payments.domain.difference_causes import CAUSES
from hits.payments.models.matches import Difference
from hits.payments.queries import match_rows as queries
from hits.payments.services import differences
from hits.providers.models.accounts import Account


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="What you found out",
        max_length=differences.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For the record. It opens again only if its figures change.",
    )


class FilterForm(forms.Form):
    """A filter of the differences. A value that cannot be read filters nothing."""

    state = forms.ChoiceField(
        label="Show",
        choices=[("open", "Open"), ("closed", "Closed"), ("all", "All")],
        required=False,
    )
    account = forms.ModelChoiceField(Account.objects.none(), required=False, empty_label="Every account")
    cause = forms.ChoiceField(
        choices=[("", "Every cause"), *((key, cause.title) for key, cause in CAUSES.items())], required=False
    )
    q = forms.CharField(
        label="Search", max_length=64, required=False, help_text="A pseudonym, a rule, a reference"
    )

    def __init__(self, data: Any, *, accounts: QuerySet[Account]) -> None:
        super().__init__(data, label_suffix="")
        self.fields["account"].queryset = accounts.order_by("name")  # type: ignore[attr-defined]


def _resolve(call: Call[Difference]) -> Outcome:
    reason = call.values["reason"]
    differences.resolve_difference(difference=call.row, reason=reason, by=call.by, now=call.now)
    return Outcome(said="Closed, and put on record.")


def _look_again(call: Call[Difference]) -> Outcome:
    differences.look_again(difference=call.row, by=call.by, now=call.now)
    said = "The provider's list is being asked. The next comparison tells; you can start one now."
    return Outcome(said=said)


RESOLVE = Action(
    label="Close",
    permissions=[VIEW, RUN],
    form=lambda data, _: ReasonForm(data, label_suffix=""),
    run=_resolve,
)
LOOK_AGAIN = Action(label="Check again", permissions=[RUN], run=_look_again)


def list_view(request: HttpRequest) -> HttpResponse:
    need(request, VIEW)
    form = FilterForm({"state": "open", **request.GET.dict()}, accounts=queries.accounts_for(request.user))
    form.is_valid()
    rows = _filtered(queries.differences_for(request.user), form.cleaned_data)
    rows = rows.select_related("account", "last_match", "resolved_by")
    kept = {key: value for key, value in request.GET.items() if key != "page"}
    context = {
        "title": "Differences",
        "form": form,
        "page": Paginator(rows.order_by("-pk"), PAGE).get_page(request.GET.get("page")),
        "keep": f"{urlencode(kept)}&" if kept else "",
        "is_filtered": bool(set(kept) - {"state"}) or kept.get("state", "open") != "open",
        "causes": CAUSES,
    }
    return render(request, "differences.html", context)


def difference_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a difference; a POST closes it with a reason, and a refused one is shown again as it was typed."""
    if request.method == "POST":
        return DIFFERENCES.answer(request, "resolve", pk=pk)
    need(request, VIEW)
    return _page(request, _find(request, pk), ReasonForm(label_suffix=""))


def _page(request: HttpRequest, row: Difference, form: forms.BaseForm) -> HttpResponse:
    cause = CAUSES[row.cause]
    context = {
        "title": cause.title,
        "row": row,
        "cause": cause,
        "form": form,
        "may_settle": request.user.has_perm(RUN),
        "may_deposit": request.user.has_perm(ADD_DEPOSIT),
        "off": None if row.ours is None or row.theirs is None else abs(row.theirs - row.ours),
        "is_withdrawal": bool(row.ours and row.theirs is not None and row.theirs < row.ours),
        "queue": _queue_url(),
    }
    return render(request, "difference.html", context)


def _filtered(rows: QuerySet[Difference], wanted: dict[str, Any]) -> QuerySet[Difference]:
    state = wanted.get("state") or "open"
    if state != "all":
        rows = rows.filter(resolved_at__isnull=state == "open")
    if wanted.get("account"):
        rows = rows.filter(account=wanted["account"])
    if wanted.get("cause"):
        rows = rows.filter(cause=wanted["cause"])
    if text := wanted.get("q"):
        rows = rows.filter(Q(words__icontains=text) | Q(subject__icontains=text))
    return rows


def _find(request: HttpRequest, pk: int) -> Difference:
    rows = queries.differences_for(request.user).select_related(
        "account", "bonus__assignment__worker", "hit__batch", "first_match", "last_match", "resolved_by"
    )
    return get_object_or_404(rows.defer("bonus__assignment__answer"), pk=pk)


def _queue_url() -> str:
    try:
        return reverse("admin:hits_payment_queue")
    except NoReverseMatch:
        return ""


DIFFERENCES = ActionPages(
    actions={"resolve": RESOLVE, "look": LOOK_AGAIN},
    find=lambda request, pk: [_find(request, pk)],
    back=lambda found: reverse("admin:hits_difference_change", args=[found[0].pk]),
    # Read again: another user may have closed it meanwhile.
    page=lambda request, found, form: _page(request, _find(request, found[0].pk), form),
)

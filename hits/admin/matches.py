"""The three-way match: what was compared, what disagrees, and the one thing to do about each."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.actions import Action, ActionPages, Call, Outcome
from hits.admin.parts import ReadOnlyAdmin, read_number
from hits.admin.selecting import signed_in
from hits.domain.causes import CAUSES
from hits.errors import RuleBroken
from hits.models import Account, Deposit, Difference, Match
from hits.queries import matches as queries
from hits.services import deposits, differences, matching

VIEW, RUN = "hits.view_match", matching.RUN
VIEW_DEPOSIT, ADD_DEPOSIT = "hits.view_deposit", deposits.ADD
PAGE, SHOWN = 25, 50
# How soon the page of a match that runs asks again.
EVERY_MS = 2000
Cause = Difference.Cause
Status = Match.Status


class DepositForm(forms.Form):
    """A withdrawal is the same with the other sign, which nobody has to type."""

    kind = forms.ChoiceField(
        label="What happened",
        choices=[("in", "Money went in: a deposit"), ("out", "Money came back: a withdrawal")],
    )
    amount = forms.DecimalField(
        label="Amount in dollars", min_value=Decimal("0.01"), max_value=deposits.MOST, decimal_places=2
    )
    words = forms.CharField(
        label="What it was",
        max_length=200,
        help_text="For whoever reads the books later, such as the number of the transfer.",
    )

    @property
    def signed(self) -> Decimal:
        amount: Decimal = self.cleaned_data["amount"]
        return amount if self.cleaned_data["kind"] == "in" else -amount


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="What you found out",
        max_length=differences.LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For the record. It opens again only if its figures change.",
    )


class FilterForm(forms.Form):
    """What the list of differences shows. Whatever cannot be read is left out."""

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


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin[Match]):
    """The list is one of accounts: what counts is how each of them stands."""

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("differences/", shown(self.differences_view), name="hits_difference_changelist"),
            path("differences/<int:pk>/", shown(self.difference_view), name="hits_difference_change"),
            path(
                "differences/<int:pk>/look/",
                shown(require_POST(self.look_view)),
                name="hits_difference_look",
            ),
            path("accounts/<int:pk>/start/", shown(require_POST(self.start_view)), name="hits_match_start"),
            path("accounts/<int:pk>/deposits/", shown(self.deposits_view), name="hits_deposits"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        _require(request, VIEW)
        page = Paginator(queries.accounts_with_matches(request.user), PAGE).get_page(request.GET.get("page"))
        rows = _account_rows(list(page.object_list), request)
        context = {
            "title": "Three-way match",
            "page": page,
            "rows": rows,
            "keep": "",
            "open": sum(row["open"] for row in rows),
            "never": sum(row["done"] is None for row in rows),
        }
        return self._render(request, "list.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """With ?fragment only what moves: the page asks for it by itself."""
        _require(request, VIEW)
        matches = Match.objects.filter(account__in=queries.accounts_for(request.user))
        match = get_object_or_404(matches.select_related("account", "by"), pk=read_number(object_id))
        found = queries.differences_for(request.user).filter(last_match=match, resolved_at=None)
        rows = list(found.select_related("hit").order_by("pk")[: SHOWN + 1])
        context = {
            "title": f"Comparison of {match.account.name}",
            "match": match,
            "every_ms": EVERY_MS if match.status == Status.RUNNING else 0,
            "looked_at": _progress(match),
            "parts": {name: Decimal(match.figures[name]) for name in PARTS if name in match.figures},
            "differences": rows[:SHOWN],
            "is_more": len(rows) > SHOWN,
            "causes": CAUSES,
        }
        return self._render(request, "parts.html" if "fragment" in request.GET else "match.html", context)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """A match has no history but its own page."""
        return redirect("admin:hits_match_change", object_id)

    def start_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        account = _account(request, pk)
        full = request.POST.get("scope") == "full"
        try:
            match = matching.start_match(
                account=account, full=full, by=signed_in(request), now=timezone.now()
            )
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
            return redirect("admin:hits_match_changelist")
        return redirect("admin:hits_match_change", match.pk)

    def differences_view(self, request: HttpRequest) -> HttpResponse:
        _require(request, VIEW)
        form = FilterForm(
            {"state": "open", **request.GET.dict()}, accounts=queries.accounts_for(request.user)
        )
        form.is_valid()
        wanted = form.cleaned_data
        rows = _filtered(queries.differences_for(request.user), wanted)
        rows = rows.select_related("account", "last_match", "resolved_by")
        page = Paginator(rows.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
        kept = {key: value for key, value in request.GET.items() if key != "page"}
        context = {
            "title": "Differences",
            "form": form,
            "page": page,
            "keep": f"{urlencode(kept)}&" if kept else "",
            "is_filtered": bool(set(kept) - {"state"}) or kept.get("state", "open") != "open",
            "causes": CAUSES,
        }
        return self._render(request, "differences.html", context)

    def difference_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """A POST closes it, with a reason; a refused one stands here again as it was typed."""
        if request.method == "POST":
            return self._differences().answer(request, "resolve", pk=pk)
        _require(request, VIEW)
        return self._difference_page(request, _difference(request, pk), ReasonForm(label_suffix=""))

    def look_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._differences().answer(request, "look", pk=pk)

    def _differences(self) -> ActionPages[Difference]:
        return ActionPages(
            actions={"resolve": RESOLVE, "look": LOOK_AGAIN},
            find=lambda request, pk: [_difference(request, pk)],
            back=lambda found: reverse("admin:hits_difference_change", args=[found[0].pk]),
            # Read anew: somebody may have been sooner.
            page=lambda request, found, form: self._difference_page(
                request, _difference(request, found[0].pk), form
            ),
        )

    def _difference_page(self, request: HttpRequest, row: Difference, form: forms.BaseForm) -> HttpResponse:
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
            "queue": _queue(),
        }
        return self._render(request, "difference.html", context)

    def deposits_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        _require(request, VIEW_DEPOSIT)
        account = _account(request, pk)
        if request.method == "POST":
            form = DepositForm(request.POST, label_suffix="")
            if form.is_valid() and self._recorded(request, form, account):
                return redirect("admin:hits_deposits", account.pk)
        else:
            form = DepositForm(initial=_suggested(request, account), label_suffix="")
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
        return self._render(request, "deposits.html", context)

    def _recorded(self, request: HttpRequest, form: DepositForm, account: Account) -> bool:
        if not request.user.has_perm(ADD_DEPOSIT):
            raise PermissionDenied
        try:
            deposits.record_deposit(
                account=account,
                amount=form.signed,
                words=form.cleaned_data["words"],
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
            return False
        messages.success(request, "Recorded. Compare the account again to see whether the books agree.")
        return True

    def _render(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {
            **self.admin_site.each_context(request),
            "may_run": request.user.has_perm(RUN),
            "may_see_deposits": request.user.has_perm(VIEW_DEPOSIT),
        }
        return TemplateResponse(request, f"admin/hits/match/{name}", {**shared, **context})


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
LOOK_AGAIN = Action(label="Look again", permissions=[RUN], run=_look_again)


PARTS = ("deposits", "held", "rewards", "bonuses", "explained")


def _account_rows(accounts: list[Account], request: HttpRequest) -> list[dict[str, Any]]:
    """Three queries for a page of accounts."""
    keys = {key for one in accounts for key in (_key(one, "newest_match"), _key(one, "done_match")) if key}
    matches = Match.objects.in_bulk(list(keys))
    counts = queries.open_counts([account.pk for account in accounts], request.user)
    return [
        {
            "account": account,
            "newest": matches.get(_key(account, "newest_match")),
            "done": matches.get(_key(account, "done_match")),
            "open": counts.get(account.pk, 0),
        }
        for account in accounts
    ]


def _key(account: Account, name: str) -> int:
    return getattr(account, name) or 0


def _progress(match: Match) -> str:
    if match.status != Status.RUNNING:
        return f"{match.hits_looked_at} compared"
    if match.tries:
        return "All lists are read. The balance is counted again in a minute: something was on its way."
    return f"{match.hits_looked_at} of {match.hits_to_look_at or 'some'} compared"


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


def _suggested(request: HttpRequest, account: Account) -> dict[str, Any]:
    """What would explain the balance, where the page was reached from a difference of it."""
    pk = read_number(request.GET.get("difference", ""))
    rows = queries.differences_for(request.user).filter(
        account=account, cause=Cause.BALANCE, resolved_at=None
    )
    row = rows.filter(pk=pk).first() if pk else None
    if row is None or row.ours is None or row.theirs is None:
        return {}
    off = row.theirs - row.ours
    return {"kind": "in" if off > 0 else "out", "amount": abs(off)}


def _account(request: HttpRequest, pk: int) -> Account:
    return get_object_or_404(queries.accounts_for(request.user), pk=pk)


def _difference(request: HttpRequest, pk: int) -> Difference:
    rows = queries.differences_for(request.user).select_related(
        "account", "bonus__assignment__worker", "hit__batch", "first_match", "last_match", "resolved_by"
    )
    return get_object_or_404(rows.defer("bonus__assignment__answer"), pk=pk)


def _queue() -> str:
    try:
        return reverse("admin:hits_payment_queue")
    except NoReverseMatch:
        return ""


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied

"""Preparing a run: owed bonuses are searched, summed, and put into a draft."""

from collections import Counter
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.page_parts import read_number
from hits.admin.selection import page_of, signed_in
from hits.common.currencies import Currency, in_order, sign_of, sum_each
from hits.core.errors import RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.queries.run_list import (
    BATCH,
    STUDY,
    OwedFilter,
    drafts_of,
    owed_for,
    owed_groups,
    owed_held,
    sum_of,
    sum_of_groups,
)
from hits.payments.services import bonus_runs
from hits.work.access import visible

PREPARE = "hits.prepare_run"
# The most of one's own drafts that are offered to add to.
DRAFTS = 20
MOST = 5000
MONEY: dict[str, Any] = {"max_digits": 13, "decimal_places": 2, "min_value": Decimal(0), "required": False}


class SearchForm(forms.Form):
    """A search for owed bonuses. An unreadable value is refused beside its field and filters nothing."""

    # Only where several are owed: a run holds one.
    currency = forms.ChoiceField(required=False)
    study = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    batch = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    rule = forms.ChoiceField(required=False)
    worker = forms.CharField(label="Worker (pseudonym)", max_length=16, required=False)
    least = forms.DecimalField(**MONEY)
    most = forms.DecimalField(**MONEY)
    days = forms.IntegerField(label="Owed for at least (days)", min_value=0, max_value=10_000, required=False)

    def __init__(self, data: Any, *, facets: list[dict[str, Any]]) -> None:
        super().__init__(data, label_suffix="")
        currencies = in_order(row["currency"] for row in facets) or [Currency.USD]
        sent = data.get("currency")
        self.shown_currency = sent if sent in currencies else currencies[0]
        self.currencies = currencies
        self.facets = [row for row in facets if row["currency"] == self.shown_currency]
        offer: Any = self.fields
        offer["least"].label = f"At least, {sign_of(self.shown_currency)}"
        offer["most"].label = f"At most, {sign_of(self.shown_currency)}"
        offer["currency"].choices = [(one, one) for one in currencies]
        self.initial["currency"] = self.shown_currency
        if len(currencies) == 1:
            del offer["currency"]
        facets = self.facets
        studies = {row[STUDY]: row[f"{STUDY}__name"] for row in facets}
        batches = {row[BATCH]: f"{row[f'{BATCH}__title']} ({row[BATCH]})" for row in facets}
        rules = {row["rule"]: row["rule"] for row in facets}
        for name, every, found in (
            ("study", "Every study", studies),
            ("batch", "Every batch", batches),
            ("rule", "Every rule", rules),
        ):
            offer[name].choices = [("", every), *sorted(found.items(), key=lambda item: item[1])]

    def read(self) -> OwedFilter:
        """Return what is asked for: of several owed currencies one, the first unless another is said."""
        self.is_valid()
        found = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        return OwedFilter(**{**found, "currency": self.shown_currency if len(self.currencies) > 1 else ""})


def urls(model: admin.ModelAdmin[Run]) -> list[URLPattern]:
    return [path("prepare/", model.admin_site.admin_view(prepare_view), name="hits_run_prepare")]


def prepare_view(request: HttpRequest) -> HttpResponse:
    if not (request.user.has_perm(PREPARE) and request.user.has_perm("hits.view_run")):
        raise PermissionDenied
    form = SearchForm(request.GET, facets=owed_groups(request.user))
    chosen = form.read()
    owed = owed_for(request.user, chosen, now=timezone.now())
    if request.method == "POST":
        return _prepare(request, _selected(request, owed if not form.errors else owed.none()), form, chosen)
    return _page(request, form, chosen, owed if not form.errors else owed.none())


def ask_about(request: HttpRequest, bonuses: QuerySet[Bonus]) -> HttpResponse:
    """Ask which new run or draft the bonuses chosen in another list go into."""
    return _put_page(request, bonuses)


def _put_page(request: HttpRequest, bonuses: QuerySet[Bonus], *, status: int = 200) -> HttpResponse:
    chosen = list(bonuses.order_by("pk")[:MOST])
    context = {
        **admin.site.each_context(request),
        "title": "Put into a run",
        "carried": ",".join(str(bonus.pk) for bonus in chosen),
        "count": len(chosen),
        "totals": (totals := sum_each((bonus.currency, bonus.amount) for bonus in chosen)),
        "currencies": in_order(totals),
        "drafts": drafts_of(request.user).filter(currency__in=totals)[:DRAFTS],
        "kinds": Run.Kind.choices,
        "into": read_number(request.POST.get("into", "")),
        "values": request.POST,
    }
    return TemplateResponse(request, "admin/hits/run/put.html", context, status=status)


def _prepare(
    request: HttpRequest, bonuses: QuerySet[Bonus], form: SearchForm, chosen: OwedFilter
) -> HttpResponse:
    by, now, asked = signed_in(request), timezone.now(), request.POST
    draft = read_number(asked.get("into", ""))
    try:
        if asked.get("which") == "all" and asked.getlist("bonus"):
            raise RuleBroken(
                "which",
                "Rows were ticked, and all that match were chosen. Nothing was put into a run yet: the ticks "
                "are kept, and “Only those ticked” is chosen now. Press again, or choose all.",
            )
        if draft is not None:
            run = get_object_or_404(drafts_of(by), pk=draft)
            count = bonus_runs.add_to_run(run=run, bonuses=bonuses, by=by, now=now)
            messages.success(request, f"Added: {count}.{_left_out(bonuses, run)}")
            return redirect("admin:hits_run_change", run.pk)
        kind = Run.Kind.WAIVE if asked.get("kind") == Run.Kind.WAIVE else Run.Kind.PAY
        run = bonus_runs.prepare_run(
            bonuses=bonuses,
            by=by,
            title=asked.get("title", ""),
            note=asked.get("note", ""),
            kind=kind,
            now=now,
        )
    except RuleBroken as broken:
        messages.error(request, str(broken))
        if asked.get("bonuses"):
            return _put_page(request, bonuses, status=409)
        return _page(request, form, chosen, owed_for(by, chosen, now=now), status=409)
    said = f"A draft is made.{_left_out(bonuses, run)} Look through it, then freeze it."
    messages.success(request, said)
    return redirect("admin:hits_run_change", run.pk)


def _left_out(bonuses: QuerySet[Bonus], run: Run) -> str:
    """How many of the chosen bonuses are not in the run, and why; empty if all are in it."""
    rest = bonuses.exclude(pk__in=run.rows.filter(is_live=True).values("bonus")).order_by()
    why = Counter(
        "held" if held_at else "in another run" if status == Bonus.Status.OWED else "decided on already"
        for held_at, status in rest.values_list("held_at", "status")
    )
    reasons = ", ".join(f"{count} {words}" for words, count in sorted(why.items()))
    return f" Left out of it: {reasons}." if why else ""


def _selected(request: HttpRequest, owed: QuerySet[Bonus]) -> QuerySet[Bonus]:
    """All bonuses that match, the ticked ones, or those that another list has sent."""
    if request.POST.get("which") == "all":
        return owed
    texts = [*request.POST.getlist("bonus"), *request.POST.get("bonuses", "").split(",")]
    keys = [key for text in texts[:MOST] if (key := read_number(text)) is not None]
    return visible(Bonus.objects.filter(pk__in=keys), request.user)


def _page(
    request: HttpRequest, form: SearchForm, chosen: OwedFilter, owed: QuerySet[Bonus], *, status: int = 200
) -> HttpResponse:
    is_filtered = replace(chosen, currency="") != OwedFilter()
    # Without a filter it is the sum of what the form offers to choose from.
    count, total = sum_of(owed) if is_filtered or form.errors else sum_of_groups(form.facets)
    rows = owed.select_related("assignment__worker", f"{STUDY}", "assignment__account").defer(
        "assignment__answer"
    )
    keep = {name: str(value) for name, value in asdict(chosen).items() if value not in (None, "")}
    into = read_number(request.GET.get("into", "") or request.POST.get("into", ""))
    if into is not None:
        keep["into"] = str(into)
    context = {
        **admin.site.each_context(request),
        "title": "Prepare a run",
        "form": form,
        "is_filtered": is_filtered,
        "currency": form.shown_currency,
        "other_currencies": [one for one in form.currencies if one != form.shown_currency],
        "count": count,
        "total": total,
        "held": owed_held(request.user).count(),
        "page": page_of(rows, number=request.GET.get("page"), total=count),
        "keep": urlencode(keep) + "&" if keep else "",
        "action": f"{reverse('admin:hits_run_prepare')}?{urlencode(keep)}",
        "into": into,
        "drafts": drafts_of(request.user).filter(currency=form.shown_currency)[:DRAFTS],
        "kinds": Run.Kind.choices,
        "values": request.POST,
        "ticked": {read_number(text) for text in request.POST.getlist("bonus")[:MOST]},
    }
    return TemplateResponse(request, "admin/hits/run/prepare.html", context, status=status)

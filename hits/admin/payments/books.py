"""A study's books: a statement as a finance office reads it, and the rows behind its sums."""

from datetime import datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils import timezone

from hits.admin.page_parts import FIRST_DAY, LAST_DAY, read_number
from hits.admin.payments.downloads import send
from hits.admin.selection import PAGE, signed_in
from hits.core.domain.typed_text import read_uuid
from hits.ledger.models.transfers import LedgerEntry
from hits.ledger.queries import checks_of, entries_of, movements, statement_of
from hits.payments.services import finance_files
from hits.studies.models import Study
from hits.work.access import visible

DAY: dict[str, Any] = {
    "required": False,
    "widget": forms.DateInput(attrs={"type": "date"}),
    "validators": [MinValueValidator(FIRST_DAY), MaxValueValidator(LAST_DAY)],
}


class RowsForm(forms.Form):
    """A filter of the rows. A value that cannot be read filters nothing."""

    q = forms.CharField(label="Words, worker or a bonus’s id", max_length=64, required=False)
    kind = forms.ChoiceField(choices=[("", "Everything"), *LedgerEntry.Kind.choices], required=False)
    batch = forms.ChoiceField(required=False)
    since = forms.DateField(label="From", **DAY)
    until = forms.DateField(label="To (that day included)", **DAY)

    def __init__(self, data: Any, *, study: Study) -> None:
        super().__init__(data, label_suffix="")
        batches = study.batches.filter(launched_at__isnull=False).order_by("-pk").values_list("pk", "title")
        choices = [(str(pk), f"{title} ({pk})") for pk, title in batches]
        self.fields["batch"].choices = [("", "All batches"), *choices]  # type: ignore[attr-defined]

    @property
    def asked(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


def books_view(entries: admin.ModelAdmin[LedgerEntry], request: HttpRequest, pk: int) -> HttpResponseBase:
    """Show the books; a POST sends the rows as a file, and the download is on record."""
    if not entries.has_view_permission(request):
        raise PermissionDenied
    study = get_object_or_404(visible(Study.objects.all(), request.user), pk=pk)
    form = RowsForm(request.POST if request.method == "POST" else request.GET, study=study)
    rows = _narrowed(entries_of([study]), form.asked, study)
    if request.method == "POST":
        file = finance_files.ledger_file(study=study, entries=rows, by=signed_in(request), now=timezone.now())
        return send(file, kind="csv")
    moved = movements(entries_of([study]))
    statement = statement_of(moved)
    context = {
        **entries.admin_site.each_context(request),
        "title": f"Books of {study}",
        "study": study,
        "zone": ZoneInfo(study.time_zone),
        "statement": statement,
        "checks": checks_of(study, statement),
        "movements": moved,
        "form": form,
        **_page(rows, form, before=read_number(request.GET.get("before", ""))),
    }
    return TemplateResponse(request, "admin/hits/ledger_study.html", context)


def _narrowed(rows: QuerySet[LedgerEntry], asked: dict[str, Any], study: Study) -> QuerySet[LedgerEntry]:
    zone = ZoneInfo(study.time_zone)
    text = asked.get("q", "")
    if key := read_uuid(text):
        rows = rows.filter(Q(bonus__public_id=key) | Q(bonus__token=key))
    elif text:
        rows = rows.filter(
            Q(words__icontains=text) | Q(grant_code=text) | Q(assignment__worker__pseudonym=text)
        )
    if "kind" in asked:
        rows = rows.filter(kind=asked["kind"])
    if "batch" in asked:
        rows = rows.filter(batch=asked["batch"])
    if "since" in asked:
        rows = rows.filter(at__gte=datetime.combine(asked["since"], time(), zone))
    if "until" in asked:
        rows = rows.filter(at__lt=datetime.combine(asked["until"] + timedelta(days=1), time(), zone))
    return rows


def _page(rows: QuerySet[LedgerEntry], form: RowsForm, *, before: int | None) -> dict[str, Any]:
    """A page of rows, newest first, by the rows' own order: they are never all counted."""
    last = rows.filter(pk=before).first() if before else None
    if last is not None:
        rows = rows.filter(Q(at=last.at, pk__lt=last.pk) | Q(at__lt=last.at), at__lte=last.at)
    found = list(
        rows.select_related("batch", "by", "bonus", "assignment__worker")
        .defer("assignment__answer", "assignment__worker__external_id", "batch__figures", "bonus__figures")
        .order_by("-at", "-pk")[: PAGE + 1]
    )
    asked = {name: str(value) for name, value in form.asked.items()}
    older = {**asked, "before": str(found[PAGE - 1].pk)} if len(found) > PAGE else None
    return {
        "entries": found[:PAGE],
        "asked": asked,
        "older": urlencode(older) if older else "",
        "newest": urlencode(asked) if last is not None else None,
    }

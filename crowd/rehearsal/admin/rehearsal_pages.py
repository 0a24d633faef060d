"""Pages of rehearsals: a batch's list, the form, a report followed while it is made, and two of them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from crowd.rehearsal.admin.assumptions_form import AssumptionsForm
from crowd.rehearsal.admin.rehearsal_actions import (
    ADD,
    LOOK,
    NAME,
    REHEARSALS,
    SEE_BATCH,
    around,
    below_list,
    find_draft,
    find_rehearsal,
    page_of_batch,
    page_of_rehearsal,
)
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.queries.compared_reports import compared_tables
from crowd.rehearsal.queries.report_tables import report_tables
from crowd.rehearsal.services import rehearsal_jobs
from hits.admin.batches.batch_pages import BatchPage
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.selection import page_of, signed_in
from hits.admin.stat_tables import attached, send_table
from hits.core.errors import RuleBroken
from hits.datasets.stat_table import StatTable, json_text
from hits.work.access import studies_of

LOOK_AGAIN_MS = 2_000
Status = Rehearsal.Status


@admin.register(Rehearsal)
class RehearsalAdmin(ReadOnlyAdmin[Rehearsal]):
    """All rehearsals of the studies that a user sees. Each is opened on its report."""

    list_display = ("report_link", "batch", "status", "asked_at", "asked_by")
    list_display_links = None
    list_select_related = ("batch", "asked_by")
    list_filter = ("status",)
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(batch__study__in=studies_of(request.user))

    def change_view(self, request: HttpRequest, object_id: str, *_: Any, **__: Any) -> HttpResponse:
        return redirect(page_of_rehearsal(find_rehearsal(request, read_number(object_id) or 0)))

    @admin.display(description="rehearsal")
    def report_link(self, rehearsal: Rehearsal) -> str:
        return format_html('<a href="{}">{}</a>', page_of_rehearsal(rehearsal), rehearsal)

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(address, self.admin_site.admin_view(view), name=f"rehearsal_{name}")

        compared = "of-batch/<int:pk>/compared/"
        return [
            at("of-batch/<int:pk>/", batch_view, "of_batch"),
            at("of-batch/<int:pk>/rehearse/", ask_view, "ask"),
            at(compared, compared_view, "compared"),
            at(f"{compared}<slug:name>.csv", compared_file_view, "compared_csv"),
            at(f"{compared}<slug:name>.json", partial(compared_file_view, form="json"), "compared_json"),
            at("<int:pk>/report/", report_view, "report"),
            at("<int:pk>/report/whole.json", whole_view, "whole"),
            at("<int:pk>/report/<slug:name>.csv", file_view, "report_csv"),
            at("<int:pk>/report/<slug:name>.json", partial(file_view, form="json"), "report_json"),
            *(at(f"<int:pk>/{key}/", REHEARSALS.view(key), key) for key in REHEARSALS.actions),
            *super().get_urls(),
        ]


def batch_view(request: HttpRequest, pk: int) -> HttpResponse:
    batch = find_draft(request, pk)
    rows = batch.rehearsals.select_related("asked_by").defer("report")
    context = {
        "title": NAME,
        "page": page_of(rows, number=request.GET.get("p"), total=rows.count()),
        "complete": batch.rehearsals.filter(status=Status.DONE).defer("report"),
        "why_not": rehearsal_jobs.why_not(batch),
        "may_add": request.user.has_perm(ADD),
    }
    return _render(request, "of_batch", context, around(batch))


def ask_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the numbers; `like` names a rehearsal of this batch whose numbers they begin with."""
    batch = find_draft(request, pk, ADD)
    like = batch.rehearsals.filter(pk=read_number(request.GET.get("like", "")) or 0).first()
    start = {**rehearsal_jobs.usual_assumptions(batch).as_data(), **(like.assumed if like else {})}
    form = AssumptionsForm(request.POST if request.method == "POST" else None, start=start)
    if request.method == "POST" and form.is_valid():
        try:
            rehearsal = rehearsal_jobs.ask_rehearsal(
                batch=batch,
                assumed=form.assumed,
                seed=form.cleaned_data["seed"],
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, f"{rehearsal} begins. This page follows it.")
            return redirect(page_of_rehearsal(rehearsal))
    context = {
        "title": "Rehearse",
        "form": form,
        "like": like,
        "why_not": rehearsal_jobs.why_not(batch),
        "back": page_of_batch(batch),
    }
    return _render(request, "ask", context, below_list(batch), status=400 if form.errors else 200)


def report_view(request: HttpRequest, pk: int) -> HttpResponse:
    rehearsal = find_rehearsal(request, pk)
    batch = rehearsal.batch
    is_done = rehearsal.status == Status.DONE
    others = batch.rehearsals.filter(status=Status.DONE).exclude(pk=rehearsal.pk).defer("report")
    context = {
        "title": str(rehearsal),
        "rehearsal": rehearsal,
        "report": rehearsal.report,
        "tables": _tables_of(rehearsal),
        "others": others if is_done else [],
        "assumed": _in_words(rehearsal),
        "offered": REHEARSALS.offered(rehearsal, user=signed_in(request)),
        "again": _like(rehearsal) if request.user.has_perm(ADD) and not rehearsal_jobs.why_not(batch) else "",
        "every_ms": LOOK_AGAIN_MS if rehearsal.is_open else 0,
    }
    return _render(request, "report", context, below_list(batch))


def file_view(request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    rehearsal = find_rehearsal(request, pk)
    return send_table(_tables_of(rehearsal), name, form=form, study=rehearsal.batch.study)


def whole_view(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send the whole report, with every run."""
    rehearsal = find_rehearsal(request, pk)
    if not rehearsal.report:
        raise Http404
    answer = HttpResponse(json_text([rehearsal.report]), content_type="application/json")
    return attached(answer, study=rehearsal.batch.study, name=f"rehearsal-{rehearsal.pk}.json")


def compared_view(request: HttpRequest, pk: int) -> HttpResponse:
    one, other = _two(request, pk)
    context = {
        "title": f"{one} and {other}",
        "one": (one, page_of_rehearsal(one)),
        "other": (other, page_of_rehearsal(other)),
        "tables": compared_tables(one, other),
        "query": request.GET.urlencode(),
    }
    return _render(request, "compared", context, below_list(one.batch))


def compared_file_view(request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    one, other = _two(request, pk)
    return send_table(compared_tables(one, other), name, form=form, study=one.batch.study)


def _two(request: HttpRequest, pk: int) -> tuple[Rehearsal, Rehearsal]:
    batch = find_draft(request, pk)
    rows = Rehearsal.objects.filter(batch=batch, status=Status.DONE).select_related("batch__study")
    keys = [read_number(request.GET.get(name, "")) or 0 for name in ("one", "other")]
    found = [rows.filter(pk=key).first() for key in keys]
    one, other = found
    if one is None or other is None:
        raise Http404
    return one, other


def _tables_of(rehearsal: Rehearsal) -> list[StatTable]:
    return report_tables(rehearsal) if rehearsal.status == Status.DONE else []


def _like(rehearsal: Rehearsal) -> str:
    return f"{reverse('admin:rehearsal_ask', args=[rehearsal.batch_id])}?like={rehearsal.pk}"


def _in_words(rehearsal: Rehearsal) -> list[tuple[str, Any]]:
    form = AssumptionsForm(start={**Assumptions().as_data(), **rehearsal.assumed})
    rows = [(str(field.label), field.initial) for name, field in form.fields.items() if name != "seed"]
    return [*rows, ("Seed", rehearsal.seed)]


def _render(
    request: HttpRequest,
    name: str,
    context: Mapping[str, Any],
    shared: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    whole = {**admin.site.each_context(request), **shared, "opts": Rehearsal._meta, **context}
    return TemplateResponse(request, f"admin/rehearsal/{name}.html", whole, status=status)


PAGE = BatchPage(name="Rehearse", permissions=(SEE_BATCH, LOOK), address=page_of_batch)

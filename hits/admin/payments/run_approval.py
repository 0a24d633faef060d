"""The addresses of actions on a run, of its approval by a second person, and of its manifest."""

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from hits.admin.payments import run_steps
from hits.admin.payments.run_page_rows import rows_view
from hits.admin.payments.run_steps import APPROVE, find_run, is_stopped, sum_in_words
from hits.admin.selection import signed_in
from hits.common.currencies import sign_of
from hits.core.errors import RuleBroken
from hits.payments.domain.manifests import write_manifest
from hits.payments.models.runs import Run
from hits.payments.queries.run_list import totals_of
from hits.payments.queries.run_table import lines_of, rows_of
from hits.payments.services import bonus_runs
from hits.payments.services.run_parts import in_words

Kind = Run.Kind
PAGE = "admin:hits_run_change"


def urls(model: admin.ModelAdmin[Run]) -> list[URLPattern]:
    shown = model.admin_site.admin_view
    return [
        *run_steps.urls(model),
        path("<int:pk>/rows/", shown(require_POST(rows_view)), name="hits_run_rows"),
        path("<int:pk>/approve/", shown(require_POST(approve_view)), name="hits_run_approve"),
        path("<int:pk>/manifest/", shown(require_GET(manifest_view)), name="hits_run_manifest"),
    ]


def approve_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve a run. The user has confirmed its count or total, and the form carries the digest they saw."""
    run = find_run(request, pk, APPROVE)
    if run.status != Run.Status.FROZEN:
        messages.error(request, f"This run is {in_words(run)} by now: nothing was approved.")
        return redirect(PAGE, run.pk)
    said = request.POST.get("confirmed", "").strip().removeprefix(sign_of(run.currency)).replace(",", "")
    is_meant = said == (f"{run.total:.2f}" if _is_real_money(run) else sum_in_words(run).replace(",", ""))
    if not is_meant:
        messages.error(request, "Nothing was approved: confirm the count and the total of the run first.")
        return redirect(PAGE, run.pk)
    digest = request.POST.get("digest", "")
    try:
        done = bonus_runs.approve_run(run=run, digest=digest, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return redirect(PAGE, run.pk)
    if done:
        messages.success(request, f"Approved: {sum_in_words(run)}. {_what_now(run)}")
    else:
        messages.error(request, "Nothing was approved: the run changed after the freeze, and is void.")
    return redirect(PAGE, run.pk)


def manifest_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the manifest, byte for byte the text that was hashed for the digest."""
    run = find_run(request, pk, "hits.view_run")
    if not run.digest:
        raise Http404
    answer = HttpResponse(write_manifest(lines_of(run)), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="run-{run.public_id}.txt"'
    return answer


def _is_real_money(run: Run) -> bool:
    return totals_of(rows_of(run)).is_real_money


def _what_now(run: Run) -> str:
    if run.kind == Kind.WAIVE:
        return "They are given up."
    if is_stopped(rows_of(run)):
        return "Payments are stopped: they are sent once somebody lets them go on."
    return "They are sent in a moment."

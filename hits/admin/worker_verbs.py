"""What a person does about a worker: blocks, lifts, looks up the id at the provider."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import ngettext

from hits.admin.selecting import carried, opts_of, selected_workers, signed_in
from hits.errors import RuleBroken
from hits.models import Account, Block, Disclosure, Worker
from hits.queries.people import workers_for
from hits.services import blocking, disclosing

BY_HAND = {"autocomplete": "off", "spellcheck": "false"}
NEWEST = 50


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=blocking.LONGEST_REASON)


class Unechoed(forms.TextInput):
    """What was typed is not sent back."""

    def format_value(self, value: Any) -> None:
        return None


class FindForm(forms.Form):
    """The id goes out with a POST alone, and never comes back on the page."""

    account = forms.ModelChoiceField(
        Account.objects.order_by("name"), required=False, empty_label="Every account"
    )
    external_id = forms.CharField(
        label="Id at the provider",
        max_length=disclosing.LONGEST_ID,
        widget=Unechoed(attrs=BY_HAND),
        help_text="Compared whole. It is not written down, and does not come back on the page.",
    )
    reason = forms.CharField(
        max_length=disclosing.LONGEST_REASON - 20, help_text="For the record of who looked whom up."
    )


def urls(workers: admin.ModelAdmin[Worker]) -> list[URLPattern]:
    """Under the list's own address."""
    shown = workers.admin_site.admin_view
    return [
        path("find/", shown(find_view), name="hits_worker_find"),
        path("block/", shown(block_view), name="hits_worker_block"),
        path("blocks/<int:block_id>/lift/", shown(lift_view), name="hits_worker_lift"),
        path("blocks/<int:block_id>/again/", shown(again_view), name="hits_worker_block_again"),
        path("<int:worker_id>/id/", shown(id_view), name="hits_worker_id"),
    ]


def show_block(
    request: HttpRequest, workers: QuerySet[Worker], *, kind: str, form: ReasonForm | None = None
) -> HttpResponse:
    """What the block means, before it is made."""
    rows = list(workers)
    context = {
        "title": "Block at the provider" if kind == Block.Kind.HARD else "Block softly",
        "workers": rows,
        "carried": carried(rows),
        "accounts": sorted({str(worker.account) for worker in rows}),
        "kind": kind,
        "form": form or ReasonForm(),
    }
    return _render(request, "admin/hits/worker/block.html", context)


def block_view(request: HttpRequest) -> HttpResponse:
    _require(request, "hits.block_worker")
    given = request.POST if request.method == "POST" else request.GET
    workers, kind = selected_workers(request, given.get("workers", "")), given.get("kind", "")
    if kind not in Block.Kind.values or not workers.exists():
        raise Http404
    form = ReasonForm(request.POST) if request.method == "POST" else None
    if form is None or not form.is_valid():
        return show_block(request, workers, kind=kind, form=form)
    made, problems = 0, []
    for worker in workers:
        try:
            blocking.block_worker(
                worker=worker,
                kind=kind,
                reason=form.cleaned_data["reason"],
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as broken:
            problems.append(f"{worker}: {broken}")
        else:
            made += 1
    if made:
        words = ngettext("Blocked %d worker.", "Blocked %d workers.", made) % made
        messages.success(request, f"{words} It can be lifted on the worker’s page.")
    if problems:
        more = f" And {len(problems) - 3} more." if len(problems) > 3 else ""
        messages.warning(request, f"{' '.join(problems[:3])}{more}")
    return _back(workers)


def lift_view(request: HttpRequest, block_id: int) -> HttpResponse:
    _require(request, "hits.block_worker")
    block = _find_block(request, block_id)
    if request.method != "POST":
        context = {"title": "Lift the block", "block": block, "worker": block.worker}
        return _render(request, "admin/hits/worker/lift.html", context)
    blocking.lift_block(block=block, by=signed_in(request), now=timezone.now())
    if block.status == Block.Status.LIFTED:
        messages.success(request, "The block is lifted.")
    elif block.status == Block.Status.LIFTING:
        messages.success(request, "Our pages are open to this worker. The provider is being told.")
    return _to_blocks(block.worker)


def again_view(request: HttpRequest, block_id: int) -> HttpResponse:
    """After the provider's refusal."""
    _require(request, "hits.block_worker")
    block = _find_block(request, block_id)
    if request.method == "POST":
        try:
            blocking.ask_again(block=block, by=signed_in(request), now=timezone.now())
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            messages.success(request, "The provider is being asked again.")
    return _to_blocks(block.worker)


def id_view(request: HttpRequest, worker_id: int) -> HttpResponse:
    """Shown once, in the answer to a POST that gave a reason: a reload asks, and records, anew."""
    _require(request, "hits.see_worker_id")
    worker = get_object_or_404(workers_for(request.user), pk=worker_id)
    form, shown, status = ReasonForm(request.POST or None), "", 200
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            shown = disclosing.disclose(
                worker=worker, user=signed_in(request), reason=reason, now=timezone.now()
            )
        except RuleBroken as broken:
            form.add_error("reason", str(broken))
    records = Disclosure.objects.filter(worker=worker).select_related("user").order_by("-pk")
    context = {
        "title": f"Id of {worker} at the provider",
        "worker": worker,
        "form": form,
        "shown": shown,
        "records": records[:NEWEST],
    }
    return _render(request, "admin/hits/worker/id.html", context, status=status)


def find_view(request: HttpRequest) -> HttpResponse:
    """By blind index: the id is compared, and neither kept nor written down."""
    _require(request, "hits.see_worker_id")
    form = FindForm(request.POST or None)
    found: list[Worker] | None = None
    if request.method == "POST" and form.is_valid():
        try:
            found = disclosing.find_by_external_id(
                **form.cleaned_data, user=signed_in(request), now=timezone.now()
            )
        except RuleBroken as broken:
            form.add_error(None, str(broken))
    if found and len(found) == 1:
        return redirect("admin:hits_worker_change", found[0].pk)
    context = {"title": "Find a worker by the id at the provider", "form": form, "found": found}
    return _render(request, "admin/hits/worker/find.html", context)


def _find_block(request: HttpRequest, block_id: int) -> Block:
    blocks = Block.objects.select_related("worker__account", "by")
    return get_object_or_404(blocks, pk=block_id, worker__in=workers_for(request.user).values("pk"))


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perms([permission, "hits.view_worker"]):
        raise PermissionDenied


def _back(workers: QuerySet[Worker]) -> HttpResponse:
    rows = list(workers[:2])
    return _to_blocks(rows[0]) if len(rows) == 1 else redirect("admin:hits_worker_changelist")


def _to_blocks(worker: Worker) -> HttpResponse:
    return redirect(f"{reverse('admin:hits_worker_change', args=[worker.pk])}?show=blocks")


def _render(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context = {**admin.site.each_context(request), "opts": opts_of(Worker), **context}
    return TemplateResponse(request, template, context, status=status)

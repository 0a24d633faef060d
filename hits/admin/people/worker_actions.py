"""Actions on a worker: blocks, and the id at the provider."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.people.worker_blocks import BLOCKS, block_view
from hits.admin.selection import opts_of, signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.people.models import Disclosure
from hits.people.queries.worker_record import workers_for
from hits.people.services import disclosures
from hits.providers.models.accounts import Account

BY_HAND = {"autocomplete": "off", "spellcheck": "false"}
NEWEST = 50


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=disclosures.LONGEST_REASON)


class Unechoed(forms.TextInput):
    """A text input whose value is never sent back to the page."""

    def format_value(self, value: Any) -> None:
        return None


class FindForm(forms.Form):
    """A search by the provider's id, which is sent only by POST and never shown on the page again."""

    account = forms.ModelChoiceField(
        Account.objects.order_by("name"), required=False, empty_label="Every account"
    )
    external_id = forms.CharField(
        label="Id at the provider",
        max_length=disclosures.LONGEST_ID,
        widget=Unechoed(attrs=BY_HAND),
        help_text="Compared as a whole. It is not stored, and not shown on the page again.",
    )
    reason = forms.CharField(
        max_length=disclosures.LONGEST_REASON - 20, help_text="For the record of who looked whom up."
    )


def id_view(request: HttpRequest, worker_id: int) -> HttpResponse:
    """Show the id once, in the answer to a POST with a reason: a reload asks again, and is recorded again."""
    _require(request, "hits.see_worker_id")
    worker = get_object_or_404(workers_for(request.user), pk=worker_id)
    form, shown, status = ReasonForm(request.POST or None), "", 200
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            shown = disclosures.disclose(
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
    """Find a worker by blind index: the id is compared, and neither kept nor logged."""
    _require(request, "hits.see_worker_id")
    form = FindForm(request.POST or None)
    found: list[Worker] | None = None
    if request.method == "POST" and form.is_valid():
        try:
            found = disclosures.find_by_external_id(
                **form.cleaned_data, user=signed_in(request), now=timezone.now()
            )
        except RuleBroken as broken:
            form.add_error(None, str(broken))
    if found and len(found) == 1:
        return redirect(f"{reverse('admin:hits_worker_change', args=[found[0].pk])}?show=standing")
    context = {"title": "Find a worker by the id at the provider", "form": form, "found": found}
    return _render(request, "admin/hits/worker/find.html", context)


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perms([permission, "hits.view_worker"]):
        raise PermissionDenied


def _render(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    context = {**admin.site.each_context(request), "opts": opts_of(Worker), **context}
    return TemplateResponse(request, template, context, status=status)


def urls(workers: admin.ModelAdmin[Worker]) -> list[URLPattern]:
    """The addresses below the list's own."""
    shown = workers.admin_site.admin_view
    return [
        path("find/", shown(find_view), name="hits_worker_find"),
        path("block/", shown(block_view), name="hits_worker_block"),
        path("blocks/<int:block_id>/lift/", shown(BLOCKS.view("lift")), name="hits_worker_lift"),
        path("blocks/<int:block_id>/again/", shown(BLOCKS.view("again")), name="hits_worker_block_again"),
        path("<int:worker_id>/id/", shown(id_view), name="hits_worker_id"),
    ]

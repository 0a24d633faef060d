"""The big stop button, what is stopped, by whom, and how it goes on."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import Account, Halt
from hits.services import halting

NEWEST = 20


class StopForm(forms.Form):
    account = forms.ModelChoiceField(
        Account.objects.order_by("name"), required=False, empty_label="Every account", label="Which payments"
    )
    reason = forms.CharField(
        max_length=halting.LONGEST_REASON,
        label="Why",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Whoever wonders why nothing is paid reads it.",
    )
    confirmed = forms.BooleanField(label="Yes, stop them now")


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("payments/halts/", view(halts_view), name="hits_halts"),
        path("payments/halts/<int:pk>/lift/", view(require_POST(lift_view)), name="hits_halt_lift"),
    ]


def halts_view(request: HttpRequest) -> HttpResponse:
    """A POST stops."""
    if not request.user.has_perm("hits.view_halt"):
        raise PermissionDenied
    form = StopForm(request.POST or None)
    if request.method == "POST":
        _require(request)
        if form.is_valid() and _stop(request, form):
            return redirect("admin:hits_halts")
    over = Halt.objects.exclude(lifted_at=None).select_related("account", "by", "lifted_by").order_by("-pk")
    context = {
        **admin.site.each_context(request),
        "title": "Stop payments",
        "halts": halting.open_halts(),
        "over": over[:NEWEST],
        "form": form,
        "may_set": request.user.has_perm("hits.set_halt"),
    }
    status = 400 if form.is_bound and form.errors else 200
    return TemplateResponse(request, "admin/hits/halts.html", context, status=status)


def lift_view(request: HttpRequest, pk: int) -> HttpResponse:
    _require(request)
    halt = get_object_or_404(Halt.objects.select_related("account"), pk=pk)
    if request.POST.get("confirmed") != "yes":
        messages.error(request, "Tick that the cause is gone: payments start within seconds.")
        return redirect("admin:hits_halts")
    try:
        halting.lift_halt(halt=halt, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, f"The payments of {halt.account or 'every account'} go on.")
    return redirect("admin:hits_halts")


def _stop(request: HttpRequest, form: StopForm) -> bool:
    given: dict[str, Any] = {name: form.cleaned_data[name] for name in ("account", "reason")}
    try:
        halt = halting.halt_payments(**given, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        form.add_error(None, str(broken))
        return False
    where = halt.account or "every account"
    messages.success(
        request, f"The payments of {where} are stopped. What was on its way is settled by itself."
    )
    return True


def _require(request: HttpRequest) -> None:
    if not request.user.has_perms(["hits.set_halt", "hits.view_halt"]):
        raise PermissionDenied

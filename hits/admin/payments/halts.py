"""The page that stops payments and shows what is stopped, by whom, and how it continues."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.actions import Action, Call, Outcome, unless_ticked
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home import navigation
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken
from hits.payments.models.runs import Halt
from hits.payments.services import kill_switch
from hits.providers.models.accounts import Account

NEWEST = 20
NOT_TICKED = "Tick that the cause is gone: payments start within seconds."
SET = ("hits.set_halt", "hits.view_halt")


navigation.add_page(
    Page(
        place=MenuPlace(Section.MONEY, 9, "Stop payments"),
        route="admin:hits_halts",
        permissions=["hits.view_halt"],
    )
)


class StopForm(forms.Form):
    account = forms.ModelChoiceField(
        Account.objects.order_by("name"), required=False, empty_label="Every account", label="Which payments"
    )
    reason = forms.CharField(
        max_length=kill_switch.LONGEST_REASON,
        label="Why",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="Shown to everyone who sees that nothing is paid.",
    )
    confirmed = forms.BooleanField(label="Yes, stop them now")


def halts_view(request: HttpRequest) -> HttpResponse:
    """Show the halts; a POST stops payments."""
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
        "halts": kill_switch.open_halts(),
        "over": over[:NEWEST],
        "form": form,
        "may_set": request.user.has_perm("hits.set_halt"),
    }
    status = 400 if form.is_bound and form.errors else 200
    return TemplateResponse(request, "admin/hits/halts.html", context, status=status)


def _find(_: HttpRequest, pk: int) -> list[Halt]:
    return [get_object_or_404(Halt.objects.select_related("account"), pk=pk)]


def _lift(call: Call[Halt]) -> Outcome:
    kill_switch.lift_halt(halt=call.row, by=call.by, now=call.now)
    return Outcome(said=f"The payments of {call.row.account or 'every account'} go on.")


PAGES = ActionPages(
    actions={
        "lift": Action(
            label="Let payments go on", permissions=SET, refuses=unless_ticked(NOT_TICKED), run=_lift
        )
    },
    find=_find,
    back=lambda _: reverse("admin:hits_halts"),
)


def _stop(request: HttpRequest, form: StopForm) -> bool:
    given: dict[str, Any] = {name: form.cleaned_data[name] for name in ("account", "reason")}
    try:
        halt = kill_switch.halt_payments(**given, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        form.add_error(None, str(broken))
        return False
    where = halt.account or "every account"
    messages.success(
        request, f"The payments of {where} are stopped. What was on its way is settled automatically."
    )
    return True


def _require(request: HttpRequest) -> None:
    if not request.user.has_perms(SET):
        raise PermissionDenied


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("payments/halts/", view(halts_view), name="hits_halts"),
        path("payments/halts/<int:pk>/lift/", view(require_POST(PAGES.view("lift"))), name="hits_halt_lift"),
    ]

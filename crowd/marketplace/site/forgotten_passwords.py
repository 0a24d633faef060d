"""A way back in for workers who have forgotten their password."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import EmailAddress
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import password_resets
from crowd.marketplace.services.email_addresses import are_emails_sent
from crowd.marketplace.site.forms import NewPassword, PlainForm
from crowd.marketplace.site.responses import too_many
from crowd.marketplace.site.session import let_in
from hits.common import rates
from hits.common.client_address import address_of
from hits.common.login_throttle import place_of

HOUR_S = 3600
MOST_FROM_ADDRESS = 20
MOST_FOR_NAME = 5


class Forgotten(PlainForm):
    typed = forms.CharField(
        label=gettext_lazy("Sign-in name or e-mail address"),
        max_length=EmailAddress.LONGEST,
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgot(request: HttpRequest) -> HttpResponse:
    """Take a request, and answer the same whether or not there is such a worker."""
    form = Forgotten(request.POST if request.method == "POST" else None)
    has_emails = are_emails_sent()
    if has_emails and form.is_valid():
        if not rates.spend("forgot", place_of(address_of(request)), most=MOST_FROM_ADDRESS, window_s=HOUR_S):
            return too_many(request, wait_s=HOUR_S)
        _ask(form.cleaned_data["typed"])
        return render(request, "marketplace/password_asked.html")
    context = {"form": form, "has_emails": has_emails}
    return render(request, "marketplace/password_forgot.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest, signed: str) -> HttpResponse:
    """Let the holder of the link choose a new password, and sign them in."""
    worker = password_resets.read_reset(signed, now=clock.now())
    if worker is None:
        return _ended(request)
    first = {"sign_in_name": worker.sign_in_name}
    form = NewPassword(request.POST if request.method == "POST" else None, initial=first)
    if form.is_valid():
        try:
            worker = password_resets.reset_password(
                signed=signed,
                sign_in_name=form.cleaned_data["sign_in_name"],
                password=form.cleaned_data["password"],
                now=clock.now(),
            )
        except RuleBroken as refusal:
            form.add_error("sign_in_name", str(refusal))
        else:
            return _back_in(request, worker) if worker else _ended(request)
    context = {"form": form, "greeted": worker}
    return render(request, "marketplace/password_reset.html", context, status=422 if form.errors else 200)


def _ask(typed: str) -> None:
    """Keep the request, unless so many were made for this name that its owner has been told enough."""
    if rates.spend("forgot.name", typed.lower(), most=MOST_FOR_NAME, window_s=HOUR_S):
        password_resets.ask_reset(typed=typed, now=clock.now())


def _back_in(request: HttpRequest, worker: Worker) -> HttpResponse:
    return let_in(request, worker, to=f"{reverse('marketplace:settings')}?saved=password")


def _ended(request: HttpRequest) -> HttpResponse:
    return render(request, "marketplace/password_link_over.html", status=404)

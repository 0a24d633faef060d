"""Signing in to the desk and out of it."""

import re

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from crowd.marketplace import clock
from crowd.marketplace.desk.forms import SignInForm
from crowd.marketplace.desk.responses import show
from crowd.marketplace.desk.session import close_session, open_session
from crowd.marketplace.services import operators
from hits.common import login_throttle
from hits.common.client_address import address_of

WITHIN_THE_DESK = re.compile(r"/desk/[\w/?=&.%+-]*", re.ASCII)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _door(request, SignInForm())
    form = SignInForm(request.POST)
    if not form.is_valid():
        return _door(request, form, status=422)
    try:
        token = operators.sign_in(
            sign_in_name=form.cleaned_data["sign_in_name"],
            password=form.cleaned_data["password"],
            address=address_of(request),
            now=clock.now(),
        )
    except login_throttle.TooManyFailures:
        form.add_error(None, "Too many attempts. Wait a quarter of an hour, then try again.")
        return _door(request, form, status=429)
    if not token:
        form.add_error(None, "Sign-in name and password do not match. Check both and try again.")
        return _door(request, form, status=403)
    rotate_token(request)
    response = redirect(_next(request.POST.get("next", "")))
    open_session(request, response, token)
    return response


@never_cache
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    response = redirect("desk:sign_in")
    close_session(request, response)
    return response


def _door(request: HttpRequest, form: SignInForm, *, status: int = 200) -> HttpResponse:
    wanted = _next(request.POST.get("next", "") or request.GET.get("next", ""))
    return show(request, None, "sign_in", {"form": form, "next": wanted}, status=status)


def _next(wanted: str) -> str:
    """The address to go on to; never one outside the desk."""
    return wanted if WITHIN_THE_DESK.fullmatch(wanted) else reverse("desk:overview")

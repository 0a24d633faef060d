"""A user's own second factor: set up with a QR code, asked for at the sign-in, renewed and removed."""

from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from hits.admin.home import navigation
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.selection import signed_in
from hits.core import crypto
from hits.core.errors import RuleBroken
from hits.identity.domain import totp
from hits.identity.models.users import User
from hits.identity.services import second_factors
from hits.identity.services.staff_sessions import keep_session

NEW = "new_second_factor"
LONGEST_CODE = 40
OVERVIEW = "admin:hits_second_factor"
TEMPLATES = "admin/hits/second_factor"

navigation.add_page(Page(place=MenuPlace(Section.SET_UP, 7, "Second factor"), route=OVERVIEW, permissions=()))


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=LONGEST_CODE,
        label="Code",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none"}),
    )


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("second-factor/", view(overview), name="hits_second_factor"),
        path("second-factor/set-up/", view(set_up_view), name="hits_second_factor_set_up"),
        path("second-factor/code/", view(code_view), name="hits_second_factor_code"),
        path("second-factor/codes/", view(require_POST(renew_view)), name="hits_second_factor_codes"),
        path("second-factor/remove/", view(require_POST(remove_view)), name="hits_second_factor_remove"),
    ]


def overview(request: HttpRequest) -> HttpResponse:
    return _overview(request)


@sensitive_variables("secret", "codes")
def set_up_view(request: HttpRequest) -> HttpResponse:
    """Show the secret until its first code was right, then the recovery codes."""
    user = signed_in(request)
    if user.second_factor_id is not None:
        return redirect(OVERVIEW)
    secret, form = _new_secret(request), CodeForm(request.POST or None)
    if form.is_valid():
        try:
            codes = second_factors.set_up(
                user=user, secret=secret, code=form.cleaned_data["code"], now=timezone.now()
            )
        except RuleBroken as broken:
            form.add_error("code", str(broken))
        else:
            request.session.pop(NEW, None)
            _let_pass(request, user)
            return _show_codes(request, codes)
    issuer = f"Crowd {request.get_host()}"
    address = totp.setup_address(secret=secret, name=user.get_username(), issuer=issuer)
    context = {
        "title": "Set up a second factor",
        "form": form,
        "drawing": _draw(address),
        "secret": " ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        "is_required": second_factors.is_required(user),
        "is_locked": second_factors.is_required(user),
    }
    return _page(request, "set_up", context)


def code_view(request: HttpRequest) -> HttpResponse:
    """Ask for the code that a sign-in by password still lacks."""
    user, form = signed_in(request), CodeForm(request.POST or None)
    if second_factors.find_lack(user=user, session=request.session) is not second_factors.Lack.CODE:
        return redirect(_wanted(request))
    if form.is_valid() and _is_right(request, form):
        _let_pass(request, user)
        left = second_factors.recovery_codes_left(user)
        if left <= second_factors.FEW_LEFT:
            messages.warning(request, f"Recovery codes left: {left}. Make new ones under Second factor.")
        return redirect(_wanted(request))
    context = {"title": "One more step", "form": form, "next": _wanted(request), "is_locked": True}
    return _page(request, "code", context)


@sensitive_variables("codes")
def renew_view(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST)
    if form.is_valid():
        try:
            code = form.cleaned_data["code"]
            codes = second_factors.renew_recovery_codes(
                user=signed_in(request), code=code, now=timezone.now()
            )
        except RuleBroken as broken:
            form.add_error("code", str(broken))
        else:
            return _show_codes(request, codes)
    return _overview(request, renewing=form)


def remove_view(request: HttpRequest) -> HttpResponse:
    user, form = signed_in(request), CodeForm(request.POST)
    if form.is_valid():
        try:
            second_factors.remove(user=user, code=form.cleaned_data["code"], now=timezone.now())
        except RuleBroken as broken:
            form.add_error("code", str(broken))
        else:
            messages.success(request, "Your second factor is removed. Your password alone signs you in.")
            return redirect(OVERVIEW)
    return _overview(request, removing=form)


def _overview(request: HttpRequest, **forms_sent: CodeForm) -> HttpResponse:
    user = signed_in(request)
    context = {
        "title": "Second factor",
        "factor": user.second_factor,
        "left": second_factors.recovery_codes_left(user),
        "is_required": second_factors.is_required(user),
        "renewing": CodeForm(auto_id="renew_%s"),
        "removing": CodeForm(auto_id="remove_%s"),
        **forms_sent,
    }
    return _page(request, "overview", context)


def _is_right(request: HttpRequest, form: CodeForm) -> bool:
    try:
        second_factors.check_code(user=signed_in(request), code=form.cleaned_data["code"], now=timezone.now())
    except RuleBroken as broken:
        form.add_error("code", str(broken))
        return False
    return True


def _let_pass(request: HttpRequest, user: User) -> None:
    """Mark the session, under a new key: whoever knew the old one has shown a password alone."""
    request.session[second_factors.PASSED] = user.second_factor_id
    request.session.cycle_key()
    agent = request.headers.get("User-Agent", "")
    keep_session(session=request.session, user=user, user_agent=agent, now=timezone.now())


def _new_secret(request: HttpRequest) -> str:
    """Return the secret that is being set up. Until then the session keeps it, encrypted."""
    if NEW not in request.session:
        request.session[NEW] = crypto.seal(totp.make_secret())
    return crypto.unseal(request.session[NEW])


def _draw(address: str) -> SafeString:
    """The pattern without attributes of style, which the page's policy would refuse."""
    pattern = segno.make_qr(address, error="m")
    drawn = pattern.svg_inline(omitsize=True, svgclass=None, lineclass=None, light="white")
    return mark_safe(drawn)  # noqa: S308 - lines of a pattern, with no text of anybody's in them


def _wanted(request: HttpRequest) -> str:
    """Return the page that was asked for, if it is one of ours."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else reverse(settings.LOGIN_REDIRECT_URL)


def _show_codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return _page(request, "recovery_codes", {"title": "Your recovery codes", "codes": codes})


def _page(request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    shown = {**admin.site.each_context(request), **context}
    if context.get("is_locked"):
        shown |= {"is_nav_sidebar_enabled": False, "available_apps": [], "current_study": None}
    is_wrong = any(isinstance(form, CodeForm) and form.errors for form in context.values())
    return TemplateResponse(request, f"{TEMPLATES}/{name}.html", shown, status=400 if is_wrong else 200)

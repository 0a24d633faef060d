"""The way to the identity provider and back. Neither page asks for a sign-in: they make it."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET

from hits.identity.permissions import BACKEND
from hits.identity.services import identity_provider, openid_sign_in
from hits.identity.services.identity_provider import NotBelieved


def urls() -> list[URLPattern]:
    return [
        path("openid/", begin_view, name="hits_openid"),
        path("openid/back/", back_view, name="hits_openid_back"),
    ]


@require_GET
@never_cache
def begin_view(request: HttpRequest) -> HttpResponse:
    _refuse_unless_set()
    try:
        address = openid_sign_in.begin(
            session=request.session,
            redirect_uri=_back_address(),
            wanted=request.GET.get("next", ""),
            now=timezone.now(),
        )
    except NotBelieved as problem:
        return _to_sign_in(request, problem)
    return redirect(address)


@require_GET
@never_cache
@sensitive_variables()
def back_view(request: HttpRequest) -> HttpResponse:
    _refuse_unless_set()
    try:
        user, wanted = openid_sign_in.finish(
            session=request.session,
            answer=request.GET.dict(),
            redirect_uri=_back_address(),
            now=timezone.now(),
        )
    except NotBelieved as problem:
        return _to_sign_in(request, problem)
    login(request, user, backend=BACKEND)
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(wanted if is_ours else settings.LOGIN_REDIRECT_URL)


def _refuse_unless_set() -> None:
    if not identity_provider.is_set():
        raise Http404


def _back_address() -> str:
    return f"{settings.PUBLIC_URL}{reverse('admin:hits_openid_back')}"


def _to_sign_in(request: HttpRequest, problem: NotBelieved) -> HttpResponse:
    messages.error(request, str(problem))
    return redirect("admin:login")

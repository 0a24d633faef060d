"""Signing in and out, and the address that is both the API (POST) and the worker's list (GET)."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from crowd.marketplace import clock, queries, wire
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Invitation, Requester, Worker
from crowd.marketplace.services import accounts, email_addresses, password_resets, worker_sign_in, workers
from crowd.marketplace.site import pages
from crowd.marketplace.site.forms import Registration
from crowd.marketplace.site.responses import too_many
from crowd.marketplace.site.session import COOKIE, find_worker, let_in, show_sign_in
from crowd.marketplace.sns import wire as topics
from hits.common import login_throttle, rates
from hits.common.client_address import address_of
from hits.common.login_throttle import place_of

REGISTRATIONS_AN_HOUR = 20  # from one address
HOUR_S = 3600


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def root(request: HttpRequest) -> HttpResponse:
    """Serve the API or the list. Only here no CSRF token is needed: the APIs are signed, without cookies."""
    return api(request) if request.method == "POST" else pages.hit_list(request)


@csrf_exempt
@require_POST
def api(request: HttpRequest) -> HttpResponse:
    return topics.api(request) if topics.is_meant(request) else wire.api(request)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation. Only its button signs in, as mail scanners open links; a GET changes nothing."""
    return _invite(request, worker_sign_in.find_invitation(token=token, now=clock.now()))


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_by_email(request: HttpRequest, signed: str) -> HttpResponse:
    """Let in by the link of an e-mail, which proves the address as well."""
    found = email_addresses.read_invitation(signed, now=clock.now())
    if found and found[1] and request.method == "POST":
        email_addresses.confirm_address(found[1], language=get_language() or "")
    return _invite(request, found[0] if found else None)


def _invite(request: HttpRequest, found: Invitation | None) -> HttpResponse:
    if not found:
        context = {"worker": find_worker(request)}
        return render(request, "marketplace/invitation_over.html", context, status=404)
    if request.method != "POST":
        return render(request, "marketplace/invitation.html", {"invited": found.worker})
    if found.worker.password:
        # Whoever is invited again in spite of a password has forgotten it.
        link = password_resets.sign_reset(found.worker, asked_at=clock.now())
        return let_in(request, found.worker, to=reverse("marketplace:reset", args=[link]))
    has_begun = queries.accepted_work(worker=found.worker).exists()
    return let_in(request, found.worker, to=reverse("marketplace:queue") if has_begun else "")


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return (
            redirect("marketplace:list")
            if find_worker(request)
            else show_sign_in(request, status=200, wanted="")
        )
    name, wanted = request.POST.get("sign_in_name", ""), request.POST.get("wanted", "")
    try:
        worker = accounts.find_by_password(
            sign_in_name=name, password=request.POST.get("password", ""), address=address_of(request)
        )
    except login_throttle.TooManyFailures:
        return too_many(request, wait_s=login_throttle.WINDOW_S)
    if worker:
        return let_in(request, worker, to=wanted)
    reason = _("Sign-in name and password do not match. Check both and try again.")
    return show_sign_in(request, status=422, reason=reason, sign_in_name=name, wanted=wanted)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    """Create an account. Raises Http404 unless the operator allows open registration."""
    if not settings.MARKETPLACE_OPEN_REGISTRATION:
        raise Http404
    waits = settings.MARKETPLACE_REGISTRATIONS_WAIT
    data = request.POST if request.method == "POST" else None
    form = Registration(data, has_emails=email_addresses.are_emails_sent(), waits=waits)
    if form.is_valid():
        place = place_of(address_of(request))
        if not rates.spend("register", place, most=REGISTRATIONS_AN_HOUR, window_s=HOUR_S):
            return too_many(request, wait_s=HOUR_S)
        try:
            worker = accounts.register(
                name=form.cleaned_data["name"],
                sign_in_name=form.cleaned_data["sign_in_name"],
                password=form.cleaned_data["password"],
                waits=waits,
                now=clock.now(),
            )
        except RuleBroken as refusal:
            form.add_error("sign_in_name", str(refusal))
        else:
            _keep_address(worker, form.cleaned_data.get("email", ""))
            return let_in(request, worker, to="")
    context = {"form": form, "waits": waits}
    return render(request, "marketplace/register.html", context, status=422 if form.errors else 200)


def _keep_address(worker: Worker, address: str) -> None:
    if address:
        language = get_language() or ""
        email_addresses.give_address(worker=worker, address=address, language=language, now=clock.now())


@require_POST
def withdraw_registration(request: HttpRequest) -> HttpResponse:
    """Delete the registration of a worker who waits. Others ask for erasure in their settings."""
    response = redirect("marketplace:list")
    worker = find_worker(request)
    if worker and workers.decline_workers(external_ids=[worker.external_id]):
        response.delete_cookie(COOKIE)
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    worker_sign_in.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response = redirect("marketplace:list")
    response.delete_cookie(COOKIE)
    return response


@require_GET
def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"requesters": Requester.objects.count() > 0})

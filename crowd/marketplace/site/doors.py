"""How one gets in and out, and the address that is both the API (POST) and the worker's list (GET)."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from crowd.marketplace import wire
from crowd.marketplace.models import Requester
from crowd.marketplace.services import people
from crowd.marketplace.site import pages
from crowd.marketplace.site.session import COOKIE


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def root(request: HttpRequest) -> HttpResponse:
    """The API is signed, and answers to no cookie; so this address alone needs no CSRF token."""
    if request.method == "POST":
        return wire.api(request)
    return pages.hit_list(request)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link changes nothing; the button signs in (mail scanners open links)."""
    now = timezone.now()
    found = people.find_invitation(token=token, now=now)
    if not found:
        return render(request, "marketplace/invitation_over.html", status=404)
    if request.method != "POST":
        return render(request, "marketplace/invitation.html", {"invited": found.worker})
    response = redirect("marketplace:list")
    response.set_cookie(
        COOKIE,
        people.sign_in(worker=found.worker, now=now),
        max_age=people.SESSION_LIFE,
        httponly=True,
        secure=settings.MARKETPLACE_URL.startswith("https:"),
        samesite="Lax",
    )
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    people.sign_out(token=request.COOKIES.get(COOKIE, ""))
    response = redirect("marketplace:list")
    response.delete_cookie(COOKIE)
    return response


@require_GET
def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"requesters": Requester.objects.count() > 0})

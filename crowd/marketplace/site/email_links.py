"""Pages to which links in e-mails lead, for whoever has them. A GET changes nothing: scanners open links."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.services import email_addresses
from crowd.marketplace.site.session import find_worker


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, signed: str) -> HttpResponse:
    """Stop messages by e-mail. The link is the permission: mail programs send this POST too (RFC 8058)."""
    mine = email_addresses.read_stop(signed, now=clock.now())
    if mine and request.method == "POST":
        email_addresses.choose_messages(worker=mine.worker, wanted=False)
    context = {
        "is_valid": mine is not None,
        "is_stopped": mine and (request.method == "POST" or not mine.wants_messages),
        "worker": find_worker(request),
    }
    return render(request, "marketplace/email_stop.html", context, status=200 if mine else 404)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, signed: str) -> HttpResponse:
    found = email_addresses.read_confirmation(signed, now=clock.now())
    if found and request.method == "POST":
        email_addresses.confirm_address(found, language=get_language() or "")
    context = {
        "address": found.address if found else "",
        "is_confirmed": found and (request.method == "POST" or found.is_confirmed),
        "worker": find_worker(request),
    }
    return render(request, "marketplace/email_confirm.html", context, status=200 if found else 404)

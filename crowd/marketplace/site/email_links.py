"""Pages to which links in e-mails lead, for whoever has them. A GET changes nothing: scanners open links."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from crowd.marketplace import clock
from crowd.marketplace.services import email_addresses
from crowd.marketplace.site.session import find_worker


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, signed: str) -> HttpResponse:
    found = email_addresses.read_confirmation(signed, now=clock.now())
    if found and request.method == "POST":
        email_addresses.confirm_address(found)
    context = {
        "address": found.address if found else "",
        "is_confirmed": found and (request.method == "POST" or found.is_confirmed),
        "worker": find_worker(request),
    }
    return render(request, "marketplace/email_confirm.html", context, status=200 if found else 404)

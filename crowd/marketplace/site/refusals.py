"""Error pages of the marketplace's host, in the look of the site."""

from django.http import HttpRequest, HttpResponse

from crowd.marketplace import wire
from crowd.marketplace.site.responses import refuse
from crowd.marketplace.sns import wire as topics


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(request, "bad_request", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(request, "forbidden", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if "X-Amz-Target" in request.headers:
        return wire.elsewhere()
    return refuse(request, "not_found", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer without the database, which may have failed. A program gets an error in its own protocol."""
    if "X-Amz-Target" in request.headers:
        return wire.fault()
    if request.method == "POST" and request.path == "/" and topics.is_meant(request):
        return topics.fault()
    return refuse(request, "server_error", status=500)

"""HTML and forms. No session here: knowing the signed address is the permission to see its content."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from crowd.marketplace import clock, frames, seals
from crowd.marketplace.models import HIT, Assignment, QualificationRequest
from crowd.marketplace.questions import html_of, map_addresses


@require_safe
@xframe_options_exempt
def preview(request: HttpRequest, signed: str) -> HttpResponse:
    external_id = _read(signed, "hit")
    hit = (
        HIT.objects.select_related("hit_type", "requester")
        .filter(external_id=external_id, disposed_at=None)
        .first()
    )
    if hit is None:
        return _gone(request)
    if hit.kind == HIT.Kind.FORM:
        return frames.show_preview(request, hit)
    return _show_html(request, hit, submit_to=settings.MARKETPLACE_URL)


@require_safe
@xframe_options_exempt
def work(request: HttpRequest, signed: str) -> HttpResponse:
    assignment = (
        Assignment.objects.select_related("hit__hit_type", "hit__requester")
        .filter(pk=_read(signed, "row"), status=Assignment.Status.ACCEPTED, deadline_at__gt=clock.now())
        .first()
    )
    if assignment is None:
        return _gone(request)
    if assignment.hit.kind == HIT.Kind.FORM:
        return frames.show_work(request, assignment)
    return _show_html(request, assignment.hit, submit_to=frames.submit_to(assignment))


@require_safe
@xframe_options_exempt
def test(request: HttpRequest, signed: str) -> HttpResponse:
    """The page of a qualification's test, while its time runs."""
    begun = (
        QualificationRequest.objects.select_related("type")
        .filter(
            external_id=_read(signed, "test"),
            status=QualificationRequest.Status.STARTED,
            deadline_at__gt=clock.now(),
        )
        .first()
    )
    return frames.show_test(request, begun) if begun else _gone(request)


def _show_html(request: HttpRequest, hit: HIT, *, submit_to: str) -> HttpResponse:
    """Show the requester's page on the requester's own host: elsewhere it would have another's storage."""
    own = frames.content_origin(hit.requester)
    if urlsplit(f"//{request.get_host()}").hostname != urlsplit(own).hostname:
        raise Http404
    page = map_addresses(
        html_of(hit.question),
        submit_url=f"{submit_to}{frames.SUBMIT_PATH}",
        helper_url=f"{own}{static('marketplace/external_hit.js')}",
        elements_url=f"{own}{static('marketplace/crowd_elements.js')}",
        leading_url=f"{own}{static('marketplace/form_addresses.js')}",
    )
    return frames.guard_html(HttpResponse(page))


def _gone(request: HttpRequest) -> HttpResponse:
    return frames.guard_form(render(request, "marketplace/content/gone.html", status=410))


def _read(signed: str, name: str) -> str:
    """Return what the signed address names. Raises Http404 if it is forged or of another kind."""
    try:
        payload = seals.read_content(signed)
    except signing.BadSignature:
        raise Http404 from None
    if name not in payload:
        raise Http404
    return str(payload[name])

"""Workers' files, where a program reaches them. The signed address is the permission to have one."""

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from crowd.marketplace import clock, seals
from crowd.marketplace.models import Upload


@require_safe
def download(request: HttpRequest, signed: str) -> HttpResponse:
    """A file as a download and never as a page: nothing in it runs on this host."""
    upload = _find(signed)
    response = HttpResponse(bytes(upload.content), content_type="application/octet-stream")
    named = content_disposition_header(as_attachment=True, filename=upload.name)
    response["Content-Disposition"] = named or "attachment"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response


def _find(signed: str) -> Upload:
    """The file of a signed address. Raises Http404 if it is forged, of another kind or expired."""
    try:
        payload = seals.read_link(signed, purpose="file", now=clock.now())
    except signing.BadSignature:
        raise Http404 from None
    upload = Upload.objects.filter(pk=payload["of"]).first()
    if upload is None:
        raise Http404
    return upload

"""Original bytes as they were sent in: listed on a picture's page; every download is on record."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_safe

from crowd.pictures.admin.pool_parts import ORIGINALS
from crowd.pictures.models import Original, Picture
from hits.admin.selection import need, signed_in
from hits.core.audit_trail import note


def urls(pool: admin.ModelAdmin[Picture]) -> list[URLPattern]:
    view = pool.admin_site.admin_view(require_safe(file_view))
    return [path("originals/<int:pk>/", view, name="pictures_original_file")]


def sent_in(picture: Picture) -> QuerySet[Original]:
    """Originals of a picture, with who sent each and when; none of a picture that came by an import."""
    return picture.originals.select_related("sent_by").order_by("pk")


def file_view(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Download an original, always as a file and never as a page, whatever it is."""
    need(request, "pictures.view_picture")
    need(request, ORIGINALS)
    original = get_object_or_404(Original.objects.select_related("picture"), pk=pk)
    try:
        content = original.file.open("rb")
    except FileNotFoundError:
        raise Http404("This file is gone.") from None
    words = f"Downloaded picture {original.picture.key} as it was sent in (SHA-256 {original.sha256})."
    note("picture.original_downloaded", words, by=signed_in(request), now=timezone.now())
    return FileResponse(
        content,
        as_attachment=True,
        filename=f"original-{original.pk}.bin",
        content_type="application/octet-stream",
        headers={
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
            "Content-Security-Policy": "default-src 'none'; sandbox",
        },
    )

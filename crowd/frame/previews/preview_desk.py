"""See it as a worker does: a page of the researchers' side with the question page in a frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.frame.previews.preview_pages import (
    CONSENT,
    ENGLISH,
    LISTING,
    NAMESPACE,
    PERSON,
    WORK,
    parts_of,
)
from crowd.frame.previews.preview_tokens import LASTS, Preview, write_preview
from crowd.frame.previews.preview_work import MOST_SKIPPED, PERMISSIONS, shown_items
from hits import families
from hits.admin.batches.batch_pages import BatchPage
from hits.admin.page_parts import read_number
from hits.admin.selection import signed_in
from hits.studies.models import Batch
from hits.work.access import visible

NAMES: Mapping[str, str] = {
    LISTING: "Before accepting",
    CONSENT: "Consent",
    PERSON: "About the person",
    ENGLISH: "English",
    WORK: "The work",
}


@dataclass(frozen=True, kw_only=True)
class Tab:
    name: str
    address: str
    is_current: bool


def urls() -> list[URLPattern]:
    view = admin.site.admin_view(preview_view)
    return [path("hits/batch/<int:batch_id>/preview/", view, name="frame_preview")]


def preview_view(request: HttpRequest, batch_id: int) -> HttpResponse:
    if not request.user.has_perms(PERMISSIONS):
        raise PermissionDenied
    batches = Batch.objects.select_related("study", "account")
    batch = get_object_or_404(visible(batches, request.user), pk=batch_id)
    parts = parts_of(batch)
    part = request.GET.get("part", WORK)
    part = part if part in parts else WORK
    skipped = min(read_number(request.GET.get("skip", "")) or 0, MOST_SKIPPED)
    there = shown_items(batch)[: skipped + batch.items_per_assignment + 1].count()
    context = {
        **admin.site.each_context(request),
        "title": "See it as a worker does",
        "batch": batch,
        "family": families.registered().get(batch.task),
        "tabs": [_tab(batch, one, is_current=one == part) for one in parts],
        "is_work": part == WORK,
        "has_items": there > skipped,
        "following": _following(batch, skipped=skipped, there=there),
        "frame": _frame_address(batch, part, request=request, skipped=skipped, now=timezone.now()),
    }
    return TemplateResponse(request, "admin/frame/preview.html", context)


def _tab(batch: Batch, part: str, *, is_current: bool) -> Tab:
    return Tab(name=NAMES[part], address=f"{address_of(batch)}?part={part}", is_current=is_current)


def _following(batch: Batch, *, skipped: int, there: int) -> str:
    """The address of the preview with the next items; of the first ones again after the last."""
    after = skipped + batch.items_per_assignment
    if there > after:
        return f"{address_of(batch)}?skip={after}"
    return address_of(batch) if skipped else ""


def _frame_address(batch: Batch, part: str, *, request: HttpRequest, skipped: int, now: datetime) -> str:
    preview = Preview(
        key=uuid4(),
        batch_id=batch.pk,
        user_id=signed_in(request).pk,
        expires_at=now + LASTS,
        skipped=skipped,
    )
    query = urlencode({"part": part, "token": write_preview(preview)})
    return f"{reverse(f'{NAMESPACE}:question', args=[preview.key])}?{query}"


def address_of(batch: Batch) -> str:
    return reverse("admin:frame_preview", args=[batch.pk])


PAGE = BatchPage(name="See it as a worker does", permissions=PERMISSIONS, address=address_of)

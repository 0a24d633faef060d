"""The gallery: the list of the pool as pictures that are chosen with a click, and marked many at once."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from crowd.pictures.admin import picture_actions
from crowd.pictures.admin.pool_parts import CHECK, GALLERY, counted, file_url, flags_of, gallery_url
from crowd.pictures.models import Picture
from crowd.pictures.services import bulk_check
from hits.admin.selection import MOST, need, read_keys, signed_in
from hits.core.errors import RuleBroken

# What may be done to the chosen pictures, in the order of the buttons.
OFTEN, RARELY = ("fit", "unfit"), ("recheck", "allow")


def urls(pool: admin.ModelAdmin[Picture]) -> list[URLPattern]:
    view = pool.admin_site.admin_view
    return [
        path("gallery/", view(partial(gallery_view, pool)), name="pictures_gallery"),
        path("gallery/undo/", view(require_POST(undo_view)), name="pictures_gallery_undo"),
    ]


def gallery_view(pool: admin.ModelAdmin[Picture], request: HttpRequest) -> HttpResponse:
    """Show the list, with its search and filters, as a gallery; a POST asks about what was chosen."""
    if request.method == "POST":
        return _ask(pool, request)
    response = pool.changelist_view(request)
    if isinstance(response, TemplateResponse) and response.context_data is not None:
        response.template_name = "admin/pictures/gallery.html"
        response.context_data |= _context(request, response.context_data["cl"].result_list)
    return response


def undo_view(request: HttpRequest) -> HttpResponse:
    """Take back this person's last verdict, about however many pictures it was."""
    need(request, CHECK)
    try:
        count = bulk_check.undo_marks(by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, f"Undone: {counted(count)} wait for the check again.")
    return redirect(gallery_url(request.POST.get(GALLERY, "")))


def _ask(pool: admin.ModelAdmin[Picture], request: HttpRequest) -> HttpResponse:
    chosen = _chosen(pool, request)
    count = chosen.count()
    if not count:
        messages.warning(request, "Choose pictures first. Nothing was done.")
        return redirect(request.get_full_path())
    if count > MOST:
        words = f"{count} pictures are too many at once: filter the list until at most {MOST} match."
        messages.error(request, f"{words} Nothing was done.")
        return redirect(request.get_full_path())
    name = request.POST.get("action", "")
    return picture_actions.ask(request, name, chosen, gallery=request.GET.urlencode())


def _chosen(pool: admin.ModelAdmin[Picture], request: HttpRequest) -> QuerySet[Picture]:
    try:
        listed: QuerySet[Picture] = pool.get_changelist_instance(request).get_queryset(request)
    except IncorrectLookupParameters:
        raise Http404 from None
    if "all" in request.POST:
        return listed
    return listed.filter(pk__in=read_keys(",".join(request.POST.getlist("picture"))))


def _context(request: HttpRequest, pictures: QuerySet[Picture]) -> dict[str, Any]:
    may_check = request.user.has_perm(CHECK)
    last = bulk_check.last_marked(by=signed_in(request), now=timezone.now()) if may_check else None
    return {
        "tiles": [(one, file_url(one, 160), flags_of(one)) for one in pictures],
        "buttons": _labels(OFTEN) if may_check else [],
        "rarely": _labels(RARELY),
        "last": last,
        "filters": request.GET.urlencode(),
    }


def _labels(keys: Sequence[str]) -> list[tuple[str, str]]:
    return [(key, picture_actions.ACTIONS[key].label) for key in keys]

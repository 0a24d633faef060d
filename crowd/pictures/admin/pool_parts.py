"""Permissions, addresses and snippets that the pages of the pool share."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from crowd.pictures import domain
from crowd.pictures.models import Picture
from hits.admin.actions import Call

VIEW = "pictures.view_picture"
# Association lists belong to the whole installation; who may see items may see them.
LISTS = "qualifications.view_swowlist"
IMPORT = "pictures.import_picture"
CHECK = "pictures.check_picture"
REMOVE = "pictures.remove_picture"
ORIGINALS = "pictures.view_original"
LONGEST_QUOTE = 40
LIST = "admin:pictures_picture_changelist"
# The field that carries the gallery's filters from page to page.
GALLERY = "gallery"
# The most pictures of a page of the gallery, and of a page that asks about many.
SHOWN = 60


def file_url(picture: Picture, size: int | None = None) -> str:
    """The address of the file for staff, whatever the picture's state."""
    if size is None:
        return reverse("admin:pictures_picture_file", args=[picture.pk])
    return reverse("admin:pictures_picture_thumbnail", args=[picture.pk, size])


def gallery_url(filters: str = "") -> str:
    return reverse("admin:pictures_gallery") + (f"?{filters}" if filters else "")


def small(picture: Picture) -> SafeString:
    """A small image for lists, without an alternative text, because the concept is beside it."""
    return format_html(
        '<img src="{}" alt="" width="64" height="64" loading="lazy" class="thumb">',
        file_url(picture, 160),
    )


def counted(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def shown_of(pictures: Sequence[Picture]) -> dict[str, Any]:
    """The first of the pictures, for a page that asks about all of them."""
    count = len(pictures)
    return {"count": count, "pictures": pictures[:SHOWN], "more": max(0, count - SHOWN)}


def next_page(call: Call[Picture]) -> str:
    """The page to which an action leads: the gallery that asked, the one picture, or the list."""
    if (filters := call.sent.get(GALLERY)) is not None:
        return gallery_url(str(filters))
    if len(call.rows) == 1 and call.by.has_perm("pictures.view_picture"):
        return reverse("admin:pictures_picture_change", args=[call.row.pk])
    return reverse(LIST)


def flags_of(picture: Picture) -> list[str]:
    """Remarks about what a person should look at twice, and the letters that they are about."""
    showing = " ".join(domain.words_showing(picture.ocr_text, concept=picture.concept))
    words = {
        "Its concept is profane": picture.is_profane,
        f"It shows its concept: {_quoted(showing)}": picture.shows_concept,
        f"It shows written words: {_quoted(picture.ocr_text)}": picture.shows_words
        and not picture.shows_concept,
        f"It could not be prepared: {picture.problem}": bool(picture.problem),
        "Reported": getattr(picture, "is_reported", False),
    }
    return [said for said, is_so in words.items() if is_so]


def _quoted(words: str) -> str:
    return f"“{Truncator(words).chars(LONGEST_QUOTE)}”"


def render(
    request: HttpRequest, name: str, context: dict[str, Any], *, model: type[Any] = Picture, status: int = 200
) -> HttpResponse:
    shared = {**admin.site.each_context(request), "opts": model._meta}
    return TemplateResponse(request, f"admin/pictures/{name}.html", {**shared, **context}, status=status)

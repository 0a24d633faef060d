"""Permissions, addresses and snippets that the pages of the pool share."""

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

VIEW = "pictures.view_picture"
# Association lists belong to the whole installation; who may see items may see them.
LISTS = "qualifications.view_swowlist"
IMPORT = "pictures.import_picture"
CHECK = "pictures.check_picture"
REMOVE = "pictures.remove_picture"
ORIGINALS = "pictures.view_original"
LONGEST_QUOTE = 40


def file_url(picture: Picture, size: int | None = None) -> str:
    """The address of the file for staff, whatever the picture's state."""
    if size is None:
        return reverse("admin:pictures_picture_file", args=[picture.pk])
    return reverse("admin:pictures_picture_thumbnail", args=[picture.pk, size])


def small(picture: Picture) -> SafeString:
    """A small image for lists, without an alternative text, because the concept is beside it."""
    return format_html(
        '<img src="{}" alt="" width="64" height="64" loading="lazy" class="thumb">',
        file_url(picture, 160),
    )


def flags_of(picture: Picture) -> list[str]:
    """Remarks about what a person should look at twice, and the letters that they are about."""
    showing = " ".join(domain.words_showing(picture.ocr_text, concept=picture.concept))
    words = {
        "Its concept is profane": picture.is_profane,
        f"It shows its concept: {_quoted(showing)}": picture.shows_concept,
        f"It shows written words: {_quoted(picture.ocr_text)}": picture.shows_words
        and not picture.shows_concept,
        f"It could not be prepared: {picture.problem}": bool(picture.problem),
    }
    return [said for said, is_so in words.items() if is_so]


def _quoted(words: str) -> str:
    return f"“{Truncator(words).chars(LONGEST_QUOTE)}”"


def render(
    request: HttpRequest, name: str, context: dict[str, Any], *, model: type[Any] = Picture, status: int = 200
) -> HttpResponse:
    shared = {**admin.site.each_context(request), "opts": model._meta}
    return TemplateResponse(request, f"admin/pictures/{name}.html", {**shared, **context}, status=status)

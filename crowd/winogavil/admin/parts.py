"""Parts that several pages of the game share: lists with a title and an explanation, and pictures."""

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from hits.admin.page_parts import ReadOnlyAdmin

Row = TypeVar("Row", bound=Model)
SMALL = """
<img class="thumb" src="/pictures/{}/160/" alt="{}" title="{}" width="40" height="40" loading="lazy">
""".strip()


class GameList(ReadOnlyAdmin[Row]):
    """A read-only list with a title and an explanation of what is in it and where it comes from."""

    change_list_template = "admin/winogavil/list.html"
    title: ClassVar[str]
    about: ClassVar[str]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"title": self.title, "about": self.about, **(extra_context or {})}
        return super().changelist_view(request, extra)


def small_pictures(pictures: Iterable[Picture]) -> SafeString:
    """Small pictures for the row of a list."""
    named = ((picture.key, picture.concept, picture.concept) for picture in pictures)
    drawn = format_html_join("", SMALL, named)
    return format_html('<div class="pair">{}</div>', drawn)

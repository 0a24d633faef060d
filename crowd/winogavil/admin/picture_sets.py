"""Pages of the picture sets: the list of them, and drawing more."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.winogavil import domain
from crowd.winogavil.admin.parts import GameList, small_pictures
from crowd.winogavil.admin.picture_set_draw import DRAWING, FOR
from crowd.winogavil.models import PictureSet
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import VisibleStudies
from hits.work.access import studies_of

LARGE = """
<figure><img src="/pictures/{}/160/" alt=""><figcaption>{}</figcaption></figure>
""".strip()


@admin.register(PictureSet)
class PictureSetAdmin(GameList[PictureSet]):
    menu = MenuPlace(Section.DATA, 7)
    nothing_yet = (
        "A picture set is the pictures that spymasters see together. Draw some with the button above, once "
        "the pool has pictures that are fit."
    )
    title = "Picture sets"
    about = (
        f"Each set is given to {domain.SPYMASTERS_WANTED} spymasters, who invent words for some of its "
        "pictures. Batches of the task “Association game: create” ask about the sets that still need words. "
        "Sets for the creator's test are given to everybody who takes it. "
        "A set is out of use while one of its pictures is away."
    )
    list_display = ("pictures", "study", "made_for", "drawn", "still_wanted", "is_asked")
    list_filter = (("item__study", VisibleStudies),)
    ordering = ("-pk",)
    list_per_page = 25
    show_full_result_count = False
    change_list_template = "admin/winogavil/picture_sets.html"
    fields = ("study", "made_for", "large_pictures", "drawn", "still_wanted", "is_asked", "words")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[PictureSet]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("item__study")
        return rows.filter(item__study__in=studies_of(request.user)).prefetch_related("places__picture")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [path("draw/", shown(DRAWING.view("draw")), name="winogavil_draw"), *super().get_urls()]

    @admin.display(ordering="item__study")
    def study(self, picture_set: PictureSet) -> str:
        return str(picture_set.item.study)

    @admin.display
    def pictures(self, picture_set: PictureSet) -> SafeString:
        return small_pictures(place.picture for place in picture_set.places.all())

    @admin.display(description="pictures")
    def large_pictures(self, picture_set: PictureSet) -> SafeString:
        shown = ((place.picture.key, place.picture.concept) for place in picture_set.places.all())
        drawn = format_html_join("", LARGE, shown)
        return format_html('<div class="gallery">{}</div>', drawn)

    @admin.display(description="words made of it")
    def words(self, picture_set: PictureSet) -> SafeString | str:
        made = [
            (reverse("admin:winogavil_association_change", args=[association.pk]), association.cue)
            for association in picture_set.associations.order_by("pk")
        ]
        return format_html_join(", ", '<a href="{}">{}</a>', made) or "none yet"

    @admin.display
    def drawn(self, picture_set: PictureSet) -> str:
        recipe = picture_set.recipe
        return f"{recipe['kind']}, seed {recipe['seed']}, no. {recipe['number']}" if recipe else "by hand"

    @admin.display(description="spymasters wanted", ordering="item__wanted")
    def still_wanted(self, picture_set: PictureSet) -> int | str:
        return picture_set.item.wanted if picture_set.item.task == domain.CREATE else "any number"

    @admin.display(description="for", ordering="item__task")
    def made_for(self, picture_set: PictureSet) -> str:
        return FOR[picture_set.item.task]

    @admin.display(description="in use", boolean=True)
    def is_asked(self, picture_set: PictureSet) -> bool:
        return picture_set.item.pulled_at is None

"""The pool: every picture there is, what is known of it, and what staff may do with it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.cache import patch_cache_control
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.pictures import domain
from crowd.pictures.admin import checking_pages, gallery, originals, picture_actions, wanted_pages
from crowd.pictures.admin.pool_parts import CHECK, IMPORT, REMOVE, SHOWN, file_url, flags_of, small
from crowd.pictures.models import Import, Picture, Request
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.models.pictures import SIZES
from crowd.pictures.picture_views import send_file
from crowd.pictures.services.picture_entry import describe_picture
from crowd.pictures.services.preparation import prepare_anew
from hits.admin.data.take_files import send_csv
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import read_number
from hits.common.spreadsheets import Cell
from hits.core.domain.days import day_in_words, moment_in_words
from hits.identity.models.users import User

KEPT_S = 300
HEADER = (
    "key", "sha256", "original_sha256", "concept", "caption", "status", "unfit_reason", "removal_reason",
    "shows_words", "shows_concept", "flagged_at", "ocr_text", "source", "credit", "licence", "media_type",
    "width", "height", "perceptual_hash", "added_at", "checked_at",
)  # fmt: skip
WORDS = ("concept", "caption", "source", "credit", "licence")
UNDECIDED = "The letters on it decided this by themselves; nobody has looked at it yet."


def _is_reported() -> Exists:
    return Exists(Report.objects.filter(picture=OuterRef("pk"), status=Report.Status.OPEN))


def _is_one_of(rows: QuerySet[Picture]) -> Q:
    return Q(pk__in=rows.values("pk"))


# Choices of the filter, each with its condition.
FLAGGED: Mapping[str, tuple[str, Callable[[], Q | Exists]]] = {
    "undecided": ("Unfit for its letters, not decided", lambda: _is_one_of(Picture.objects.undecided())),
    "overruled": ("Allowed in spite of letters", lambda: _is_one_of(Picture.objects.flagged().playable())),
    "words": ("Shows written words", lambda: Q(shows_words=True)),
    "concept": ("Shows its concept’s name, or a part of it", lambda: Q(shows_concept=True)),
    "profane": ("Profane concept", lambda: Q(is_profane=True)),
    "reported": ("Reported, not decided", _is_reported),
    "problem": ("Could not be prepared", lambda: ~Q(problem="")),
}


class FlagFilter(admin.SimpleListFilter):
    title = "flag"
    parameter_name = "flag"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(key, label) for key, (label, _) in FLAGGED.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Picture]) -> QuerySet[Picture]:
        _, condition = FLAGGED.get(self.value() or "", ("", Q))
        return queryset.filter(condition())


class HomeFilter(admin.SimpleListFilter):
    title = "place"
    parameter_name = "place"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("pool", "In the pool"), ("item", "Of an item, uploaded by hand")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Picture]) -> QuerySet[Picture]:
        if (place := self.value()) in ("pool", "item"):
            return queryset.filter(in_pool=place == "pool")
        return queryset


class ImportFilter(admin.SimpleListFilter):
    """The pictures of one import, to which its own page leads. It costs other looks at the pool nothing."""

    title = "import"
    parameter_name = "import"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        asked = read_number(request.GET.get(self.parameter_name, ""))
        found = Import.objects.filter(pk=asked) if asked is not None else ()
        return [(str(one.pk), f"{one}, {moment_in_words(one.made_at)}") for one in found]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Picture]) -> QuerySet[Picture]:
        chosen = self.value()
        if chosen is None:
            return queryset
        brought = Request.objects.filter(importing=read_number(chosen) or 0)
        return queryset.filter(pk__in=brought.values("picture"))


class WordsForm(forms.ModelForm[Picture]):
    def clean_concept(self) -> str:
        concept = domain.tidy_concept(self.cleaned_data["concept"])
        if not domain.words_of(concept):
            raise forms.ValidationError("Say in a word what the picture shows.")
        return concept


@admin.register(Picture)
class PictureAdmin(admin.ModelAdmin[Picture]):
    menu = MenuPlace(Section.DATA, 3)
    nothing_yet = "The pool holds the pictures that the games show. Import some with the button above."
    form = WordsForm
    change_list_template = "admin/pictures/pool.html"
    change_form_template = "admin/pictures/picture.html"
    list_display = ("thumbnail", "concept", "status", "flags", "licence", "source", "added")
    list_display_links = ("concept",)
    list_filter = (HomeFilter, "status", FlagFilter, ImportFilter, "media_type", "unfit_reason")
    list_per_page = SHOWN
    search_fields = ("concept", "caption", "key", "sha256", "ocr_text", "licence", "source")
    ordering = ("-pk",)
    show_full_result_count = False
    has_own_file = True
    actions = ("fit", "unfit", "allow", "disallow", "remove", "restore", "recheck", "prepare_again")
    readonly_fields = (
        "large", "state", "flags", "ocr_text", "read_by", "pixels", "sha256", "original_sha256", "key",
        "media_type", "added_at", "checked", "place",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("large", "state", "flags", "place")}),
        ("Words", {"fields": WORDS, "description": "Rivals that read captions read the new ones at once."}),
        ("What was found out", {"fields": ("ocr_text", "read_by", "pixels", "checked")}),
        ("File", {"fields": ("sha256", "original_sha256", "key", "media_type", "added_at")}),
    )

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        file = shown(self.file_view, cacheable=True)
        return [
            *checking_pages.urls(self),
            path("do/<slug:name>/", shown(picture_actions.action_view), name="pictures_picture_do"),
            *gallery.urls(self),
            *originals.urls(self),
            *wanted_pages.urls(self),
            path("list/", shown(self.list_file_view), name="pictures_picture_list_file"),
            path("<int:pk>/file/", file, name="pictures_picture_file"),
            path("<int:pk>/file/<int:size>/", file, name="pictures_picture_thumbnail"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Pictures enter through an import, which hashes them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Data refer to pictures, so they are never deleted: a removed one is shown to nobody."""
        return False

    def has_remove_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REMOVE)

    def has_check_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(CHECK)

    def has_import_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(IMPORT)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Picture]:
        rows = super().get_queryset(request).select_related("checked_by")
        return rows.annotate(is_reported=_is_reported())

    def save_model(self, request: HttpRequest, obj: Picture, form: object, change: object) -> None:
        describe_picture(obj)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        rows = Picture.objects.values_list("in_pool", "status").annotate(Count("pk")).order_by()
        counts = {status: count for in_pool, status, count in rows if in_pool}
        context = {
            "title": "Pictures",
            "waiting": counts.get(Picture.Status.WAITING, 0),
            "in_pool": sum(counts.values()),
            "fit": counts.get(Picture.Status.FIT, 0),
            "of_items": sum(count for in_pool, _, count in rows if not in_pool),
            "undecided": Picture.objects.undecided().count(),
            "reports": Report.objects.filter(status=Report.Status.OPEN).count(),
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        sent = originals.sent_in(context["original"]) if context.get("original") else []
        return super().render_change_form(request, {**context, "sent_in": sent}, *args, **kwargs)

    def file_view(self, request: HttpRequest, pk: int, size: int | None = None) -> HttpResponseBase:
        """Send staff the file, whatever the picture's state."""
        if not self.has_view_permission(request) or size not in (None, *SIZES):
            raise PermissionDenied
        response, is_final = send_file(get_object_or_404(Picture, pk=pk), size=size)
        patch_cache_control(response, private=True, max_age=KEPT_S if is_final else 0)
        return response

    def list_file_view(self, request: HttpRequest) -> HttpResponseBase:
        """The list as CSV, with the search and the filters by which it was shown."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = self.get_changelist_instance(request).get_queryset(request)
        return send_csv(HEADER, _cells(rows), name="pictures.csv")

    @admin.action(description="Mark as fit…", permissions=["check"])
    def fit(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "fit", queryset)

    @admin.action(description="Mark as unfit…", permissions=["check"])
    def unfit(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "unfit", queryset)

    @admin.action(description="Allow in spite of letters…", permissions=["check"])
    def allow(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "allow", queryset)

    @admin.action(description="Make unfit for letters again…", permissions=["check"])
    def disallow(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "disallow", queryset)

    @admin.action(description="Remove everywhere…", permissions=["remove"])
    def remove(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "remove", queryset)

    @admin.action(description="Restore…", permissions=["remove"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "restore", queryset)

    @admin.action(description="Send back to the check…", permissions=["check"])
    def recheck(self, request: HttpRequest, queryset: QuerySet[Picture]) -> HttpResponse:
        return picture_actions.ask(request, "recheck", queryset)

    @admin.action(description="Make thumbnails and read letters again", permissions=["import"])
    def prepare_again(self, request: HttpRequest, queryset: QuerySet[Picture]) -> None:
        count = prepare_anew(Picture.objects.filter(pk__in=queryset.order_by().values("pk")))
        messages.success(request, f"{count} will be prepared again in the background.")

    @admin.display(description="picture")
    def thumbnail(self, picture: Picture) -> SafeString:
        return small(picture)

    @admin.display(description="picture")
    def large(self, picture: Picture) -> SafeString:
        return format_html('<img src="{}" alt="{}" class="photo">', file_url(picture, 480), picture.concept)

    @admin.display(description="flags")
    def flags(self, picture: Picture) -> SafeString | str:
        said = flags_of(picture)
        return format_html_join("", '<span class="tag bad">{}</span> ', ((one,) for one in said)) or "–"

    @admin.display(description="state")
    def state(self, picture: Picture) -> str:
        reason = picture.removal_reason or (
            picture.get_unfit_reason_display() if picture.status == Picture.Status.UNFIT else ""
        )
        said = f"{picture.get_status_display()}. {reason}".strip()
        return f"{said}. {UNDECIDED}" if picture.is_undecided else said

    @admin.display(description="place")
    def place(self, picture: Picture) -> str:
        if picture.in_pool:
            return "In the pool: image sets are drawn from it"
        return "Of an item, for which it was uploaded. No image set is drawn from it, and no rival told of it"

    @admin.display(description="pixels")
    def pixels(self, picture: Picture) -> str:
        if picture.is_drawing:
            return "A drawing without pixels"
        return f"{picture.width} x {picture.height}" if picture.width else "Not prepared yet"

    @admin.display(description="added", ordering="added_at")
    def added(self, picture: Picture) -> str:
        return day_in_words(picture.added_at)

    @admin.display(description="checked")
    def checked(self, picture: Picture) -> str:
        if picture.checked_at is None:
            return "Not checked here"
        return f"{moment_in_words(picture.checked_at)} UTC, by {_name_of(picture.checked_by)}"


def _name_of(user: User | None) -> str:
    return user.get_username() if user else "a former user"


def _cells(rows: QuerySet[Picture]) -> Iterator[list[Cell]]:
    for row in rows.values_list(*HEADER).iterator(chunk_size=2000):
        yield [int(value) if isinstance(value, bool) else value for value in row]

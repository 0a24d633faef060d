from collections import Counter
from fractions import Fraction
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.db.models import Case, Prefetch, QuerySet, When
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.winogavil import domain
from crowd.winogavil.admin import swow_baseline, test_generation
from crowd.winogavil.admin.parts import GameList, small_pictures
from crowd.winogavil.models import Association, Place
from crowd.winogavil.queries import reaches_own
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import plain_in_file
from hits.admin.page_parts import VisibleStudies
from hits.work.access import studies_of


class SelectedFilter(admin.SimpleListFilter):
    title = "selected"
    parameter_name = "selected"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No"), ("open", "Not final")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Association]) -> QuerySet[Association]:
        final = queryset.filter(final_at__isnull=False)
        found = {
            "yes": final.filter(reaches_own()),
            "no": final.filter(~reaches_own()),
            "open": queryset.filter(final_at=None),
        }
        return found.get(self.value() or "", queryset)


@admin.register(Association)
class AssociationAdmin(GameList[Association]):
    menu = MenuPlace(Section.DATA, 6)
    nothing_yet = (
        "An association is a cue and the pictures chosen for it. Spymasters make them in batches of the "
        "association game, and in the web game."
    )
    title = "Associations"
    about = (
        "Words that spymasters, files and recordings gave to pictures. A word is final once its solvers have "
        "answered, and selected where they agree with its author by the threshold of the study's game or "
        "more: 80 % unless its settings say otherwise. It is out of use while a picture of it is away, it is "
        "reported, or its author's work is kept out."
    )
    list_display = (
        "cue", "chosen", "study", "source", "fool_score", "solved", "selected", "is_asked", "final_at",
    )  # fmt: skip
    list_filter = (SelectedFilter, "source", ("item__study", VisibleStudies))
    search_fields = ("cue",)
    ordering = ("-pk",)
    show_full_result_count = False
    fields = (
        "cue", "study", "source", "picture_set", "pictures", "fool_score", "asked_at",
        "solved", "selected", "final_at", "is_asked",
    )  # fmt: skip
    readonly_fields = ("study", "picture_set", "pictures", "fool_score", "solved", "selected", "is_asked")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Association]:
        """Associations of the user's studies, without those of a solver's test, which their batch shows."""
        rows: QuerySet[Any] = super().get_queryset(request).select_related("item__study")
        rows = rows.annotate(is_solved=Case(When(final_at=None, then=None), default=reaches_own()))
        chosen = Place.objects.filter(chosen=True, picture__isnull=False).select_related("picture")
        rows = rows.prefetch_related(Prefetch("places", chosen.order_by("position"), to_attr="chosen_places"))
        return rows.filter(item__study__in=studies_of(request.user), item__task=domain.SOLVE)

    def get_urls(self) -> list[URLPattern]:
        return [*test_generation.urls(self), *swow_baseline.urls(self), *super().get_urls()]

    @admin.display(description="pictures of its author")
    def chosen(self, association: Association) -> SafeString:
        places: list[Place] = vars(association)["chosen_places"]
        return small_pictures(place.picture for place in places if place.picture)

    @admin.display(ordering="item__study")
    def study(self, association: Association) -> str:
        return str(association.item.study)

    @plain_in_file("fool_score_percent", of=attrgetter("fool_score"))
    @admin.display(description="fool-the-AI", ordering="-model_score")
    def fool_score(self, association: Association) -> str:
        return "not asked yet" if association.fool_score is None else f"{association.fool_score} %"

    @plain_in_file("solvers_mean_percent", of=lambda one: _in_percent(one.solvers_mean))
    @admin.display(description="solvable by humans")
    def solved(self, association: Association) -> str:
        mean = _in_percent(association.solvers_mean)
        return "not final" if mean is None else f"{mean:.1f} %"

    @admin.display(description="selected", boolean=True)
    def selected(self, association: Association) -> bool | None:
        """Unknown until it is final."""
        found: bool | None = vars(association)["is_solved"]
        return found

    @admin.display(description="in use", boolean=True, ordering="item__pulled_at")
    def is_asked(self, association: Association) -> bool:
        """False while a picture of it is away, its cue is reported or its author's work is kept out."""
        return association.item.pulled_at is None

    @admin.display
    def picture_set(self, association: Association) -> SafeString | str:
        if association.picture_set is None:
            return "none: it was not made here"
        address = reverse("admin:winogavil_pictureset_change", args=[association.picture_set.pk])
        return format_html('<a href="{}">{}</a>', address, association.picture_set)

    @admin.display
    def pictures(self, association: Association) -> SafeString:
        """Pictures with marks for what the author chose, what the model took and what solvers picked."""
        solutions = list(association.solutions.all())
        picked = Counter(position for solution in solutions for position in solution.picked)
        places = association.places.select_related("picture")
        drawn = (
            (
                "chosen" if place.chosen else "other",
                _image(place),
                place.label,
                _marks(place, picked=picked[place.position], solvers=len(solutions)),
            )
            for place in places
        )
        return format_html(
            '<div class="gallery">{}</div>',
            format_html_join(
                "",
                '<figure class="{}">{}<figcaption><strong>{}</strong>{}</figcaption></figure>',
                drawn,
            ),
        )


def _in_percent(share: Fraction | None) -> float | None:
    return None if share is None else float(100 * share)


def _image(place: Place) -> SafeString | str:
    """The picture; empty for one that a recording names and the pool does not have."""
    if place.picture is None:
        return ""
    return format_html('<img src="/pictures/{}/160/" alt="">', place.picture.key)


def _marks(place: Place, *, picked: int, solvers: int) -> SafeString:
    said = [
        "✓ chosen by the author" if place.chosen else "",
        "taken by the model" if place.predicted else "",
        f"picked by {picked} of {solvers} solvers" if solvers else "",
    ]
    return format_html_join("", "<span>{}</span>", ((words,) for words in said if words))

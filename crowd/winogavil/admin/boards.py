"""Picture sets: which there are, and how more of them are drawn."""

import secrets
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.models import Board
from crowd.winogavil.services.drawing import MOST_BOARDS, Plan, draw_boards, look_ahead
from hits.access import studies_of
from hits.admin.parts import ReadOnlyAdmin, VisibleStudies
from hits.errors import RuleBroken
from hits.models import Study
from qualifications.models import SwowList

SHOWN = 5
LARGEST_SEED = 999_999


class DrawForm(forms.Form):
    study = forms.ModelChoiceField(Study.objects.none())
    size = forms.TypedChoiceField(
        label="pictures in a set",
        choices=[(size, str(size)) for size in domain.SIZES],
        coerce=int,
        initial=10,
    )
    count = forms.IntegerField(
        label="number of sets",
        min_value=1,
        max_value=MOST_BOARDS,
        initial=20,
        help_text=f"Each is given to {domain.SPYMASTERS_WANTED} spymasters.",
    )
    swow = forms.ModelChoiceField(
        SwowList.objects.none(),
        label="associations",
        required=False,
        empty_label="None: pictures at random",
        help_text="With a list, some pictures of each set have a word in common.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed draws the same sets from the same pictures, and goes on where it ended.",
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["study"].queryset = studies
        fields["swow"].queryset = SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")

    @property
    def plan(self) -> Plan:
        return Plan(**self.cleaned_data)


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin[Board]):
    list_display = ("pictures", "study", "drawn", "still_wanted", "is_asked")
    list_filter = (("item__study", VisibleStudies),)
    ordering = ("-pk",)
    list_per_page = 25
    show_full_result_count = False
    change_list_template = "admin/winogavil/boards.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("item__study")
        return rows.filter(item__study__in=studies_of(request.user)).prefetch_related("places__picture")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [path("draw/", shown(self.draw_view), name="winogavil_draw"), *super().get_urls()]

    def draw_view(self, request: HttpRequest) -> HttpResponse:
        """Looks first; only the second button makes what was shown."""
        if not request.user.has_perm("winogavil.add_board"):
            raise PermissionDenied
        studies = studies_of(request.user).order_by("name")
        first = {"seed": secrets.randbelow(LARGEST_SEED), "study": request.GET.get("study")}
        form = DrawForm(request.POST or None, studies=studies, initial=first)
        drawn: list[Any] = []
        if form.is_valid():
            try:
                if "draw" in request.POST:
                    made = draw_boards(form.plan, now=timezone.now())
                    messages.success(request, f"{len(made)} picture sets are ready for spymasters.")
                    return redirect("admin:winogavil_board_changelist")
                drawn = look_ahead(form.plan)
            except RuleBroken as broken:
                form.add_error(None, str(broken))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": "Draw picture sets",
            "form": form,
            "drawn": drawn[:SHOWN],
            "count": len(drawn),
            "playable": Picture.objects.playable().count(),
        }
        return TemplateResponse(request, "admin/winogavil/draw.html", context)

    @admin.display(ordering="item__study")
    def study(self, board: Board) -> str:
        return str(board.item.study)

    @admin.display
    def pictures(self, board: Board) -> SafeString:
        return format_html_join(
            " ",
            '<img src="/pictures/{}/160/" alt="{}" title="{}" width="40" height="40" loading="lazy">',
            (
                (place.picture.key, place.picture.concept, place.picture.concept)
                for place in board.places.all()
            ),
        )

    @admin.display
    def drawn(self, board: Board) -> str:
        recipe = board.recipe
        return f"{recipe['kind']}, seed {recipe['seed']}, no. {recipe['number']}" if recipe else "by hand"

    @admin.display(description="spymasters wanted", ordering="item__wanted")
    def still_wanted(self, board: Board) -> int:
        return board.item.wanted

    @admin.display(description="in use", boolean=True)
    def is_asked(self, board: Board) -> bool:
        return board.item.pulled_at is None

"""Picture sets: which there are, and how more of them are drawn."""

import secrets
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.admin.parts import GameList, small_pictures
from crowd.winogavil.models import Board
from crowd.winogavil.services.drawing import MOST_BOARDS, Plan, draw_boards, look_ahead
from hits.access import studies_of
from hits.admin.parts import VisibleStudies
from hits.admin.selecting import need
from hits.errors import RuleBroken
from hits.models import Study
from qualifications.models import SwowList

SHOWN = 5
FOR = {domain.CREATE: "spymasters", domain.CREATOR_TEST: "the creator's test"}
LARGEST_SEED = 999_999
DRAWN = '{} for {}. <a href="{}">Make a batch</a> that asks them.'
LARGE = """
<figure><img class="set-large" src="/pictures/{}/160/" alt=""><figcaption>{}</figcaption></figure>
""".strip()


class DrawForm(forms.Form):
    study = forms.ModelChoiceField(Study.objects.none(), label="Study")
    size = forms.TypedChoiceField(
        label="Pictures in a set",
        choices=[(size, str(size)) for size in domain.SIZES],
        coerce=int,
        initial=10,
    )
    count = forms.IntegerField(
        label="Number of sets",
        min_value=1,
        max_value=MOST_BOARDS,
        initial=20,
        help_text=f"Each is given to {domain.SPYMASTERS_WANTED} spymasters, or to all who take the test.",
    )
    swow = forms.ModelChoiceField(
        SwowList.objects.none(),
        label="Association list",
        required=False,
        empty_label="None: pictures at random",
        help_text="With a list, some pictures of each set have a word in common.",
    )
    task = forms.ChoiceField(
        label="For",
        choices=list(FOR.items()),
        initial=domain.CREATE,
        required=False,
        help_text="A set for the test is given to everybody who takes it, and to no spymaster.",
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

    def clean_task(self) -> str:
        return self.cleaned_data["task"] or domain.CREATE

    @property
    def plan(self) -> Plan:
        return Plan(**self.cleaned_data)


@admin.register(Board)
class BoardAdmin(GameList[Board]):
    title = "Picture sets"
    about = (
        f"Each set is given to {domain.SPYMASTERS_WANTED} spymasters, who invent words for some of its "
        "pictures. A batch of the task “Association game: create” asks for those that still want some. "
        "Those for the creator's test are given to everybody who takes it. "
        "A set is out of use while one of its pictures is away."
    )
    list_display = ("pictures", "study", "made_for", "drawn", "still_wanted", "is_asked")
    list_filter = (("item__study", VisibleStudies),)
    ordering = ("-pk",)
    list_per_page = 25
    show_full_result_count = False
    change_list_template = "admin/winogavil/boards.html"
    fields = ("study", "made_for", "large_pictures", "drawn", "still_wanted", "is_asked", "words")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("item__study")
        return rows.filter(item__study__in=studies_of(request.user)).prefetch_related("places__picture")

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [path("draw/", shown(self.draw_view), name="winogavil_draw"), *super().get_urls()]

    def draw_view(self, request: HttpRequest) -> HttpResponse:
        """Looks first; only the second button makes what was shown."""
        need(request, "winogavil.add_board")
        studies = studies_of(request.user).order_by("name")
        first = {"seed": secrets.randbelow(LARGEST_SEED), "study": request.GET.get("study")}
        form = DrawForm(request.POST or None, studies=studies, initial=first)
        drawn: list[Any] = []
        if form.is_valid():
            try:
                if "draw" in request.POST:
                    made = draw_boards(form.plan, now=timezone.now())
                    messages.success(
                        request,
                        format_html(
                            DRAWN, _ready(len(made)), FOR[form.plan.task], reverse("admin:hits_batch_add")
                        ),
                    )
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
        return small_pictures(place.picture for place in board.places.all())

    @admin.display(description="pictures")
    def large_pictures(self, board: Board) -> SafeString:
        shown = ((place.picture.key, place.picture.concept) for place in board.places.all())
        drawn = format_html_join("", LARGE, shown)
        return format_html('<div class="set-pictures">{}</div>', drawn)

    @admin.display(description="words made of it")
    def words(self, board: Board) -> SafeString | str:
        made = [
            (reverse("admin:winogavil_association_change", args=[association.pk]), association.cue)
            for association in board.associations.order_by("pk")
        ]
        return format_html_join(", ", '<a href="{}">{}</a>', made) or "none yet"

    @admin.display
    def drawn(self, board: Board) -> str:
        recipe = board.recipe
        return f"{recipe['kind']}, seed {recipe['seed']}, no. {recipe['number']}" if recipe else "by hand"

    @admin.display(description="spymasters wanted", ordering="item__wanted")
    def still_wanted(self, board: Board) -> int | str:
        return board.item.wanted if board.item.task == domain.CREATE else "any number"

    @admin.display(description="for", ordering="item__task")
    def made_for(self, board: Board) -> str:
        return FOR[board.item.task]

    @admin.display(description="in use", boolean=True)
    def is_asked(self, board: Board) -> bool:
        return board.item.pulled_at is None


def _ready(count: int) -> str:
    return "1 picture set is ready" if count == 1 else f"{count} picture sets are ready"

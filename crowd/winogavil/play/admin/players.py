from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from crowd.winogavil.play.models import Player
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.core.domain.days import day_in_words
from hits.work.access import studies_of


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin[Player]):
    """Players, by the name that other players see too, and by the pseudonym used in the data."""

    menu = MenuPlace(Section.PEOPLE, 7)
    nothing_yet = "Players register at a web game. Open one on the page of a study's association game."
    list_display = ("shown_name", "pseudonym", "game", "cues", "solves", "registered_at", "erased_at")
    list_filter = (("game__study", VisibleStudies),)
    search_fields = ("name", "worker__pseudonym")
    ordering = ("-pk",)
    show_full_result_count = False
    fields = ("shown_name", "pseudonym", "game", "cues", "solves", "registered_at", "erased_at", "agreed_to")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("game", "worker", "standing")
        return rows.filter(game__study__in=studies_of(request.user)).defer("password")

    @admin.display(description="name", ordering="name")
    def shown_name(self, player: Player) -> str:
        return player.name or "deleted"

    @admin.display(description="pseudonym")
    def pseudonym(self, player: Player) -> str:
        return player.worker.pseudonym

    @admin.display(description="words", ordering="standing__cues")
    def cues(self, player: Player) -> int | None:
        return player.standing.cues if hasattr(player, "standing") else None

    @admin.display(description="solves", ordering="standing__solves")
    def solves(self, player: Player) -> int | None:
        return player.standing.solves if hasattr(player, "standing") else None

    @admin.display(description="agreed to")
    def agreed_to(self, player: Player) -> str:
        consents = player.consents.select_related("text").order_by("pk")
        return ", ".join(f"version {one.text.version} on {day_in_words(one.given_at)}" for one in consents)

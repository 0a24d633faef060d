"""Registered rivals, and how much of the pool each knows. A command adds weights; a browser never does."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.home.navigation import Section
from hits.admin.page_parts import ReadOnlyAdmin
from scoring.models import PoolPicture, RegisteredRival
from scoring.queries.pool_coverage import pictures_known, unreadable, waiting_for
from scoring.queries.waiting_questions import questions_waiting

FETCHING = (
    "A rival is added on the server, for its weights are large and are checked: "
    "manage.py fetch_rival clip-rn50 --clip RN50 --weights openai. "
    "The pictures of the pool are then embedded automatically."
)


@admin.register(RegisteredRival)
class RegisteredRivalAdmin(ReadOnlyAdmin[RegisteredRival]):
    section = Section.SET_UP
    place = 2
    called = "Models"
    list_display = ("name", "kind", "model", "weights", "pool", "waiting")
    search_fields = ("name", "model", "weights_sha256")
    fields = ("name", "kind", "model", "source", "weights_sha256", "options", "added_at", "pool", "waiting")
    readonly_fields = fields

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "subtitle": FETCHING})

    @admin.display(description="SHA-256 of the weights")
    def weights(self, rival: RegisteredRival) -> str:
        return f"{rival.weights_sha256[:12]}…" if rival.weights_sha256 else "read at the first question"

    @admin.display(description="pictures of the pool")
    def pool(self, rival: RegisteredRival) -> SafeString | str:
        if not rival.keeps_vectors:
            return "reads both together" if rival.scores_pictures else "scores no pictures"
        known, total, blind = pictures_known(rival), PoolPicture.objects.count(), unreadable(rival)
        words = f"{known} of {total}" + (f", {blind} unreadable" if blind else "")
        return format_html(
            '<progress max="{}" value="{}" aria-label="pictures of the pool"></progress> {}',
            max(total, 1), known, words,
        )  # fmt: skip

    @admin.display(description="questions that wait")
    def waiting(self, rival: RegisteredRival) -> str:
        games, others = waiting_for(rival), questions_waiting(rival)
        count, failed = games[0] + others[0], games[1] + others[1]
        return f"{count} ({failed} failed before)" if failed else str(count)

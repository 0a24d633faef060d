"""Registered rivals, and how much of the pool each knows. A command adds weights; a browser never does."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.home.navigation import Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import signed_in
from scoring.models import PoolPicture, RegisteredRival
from scoring.models.model_facts import STATED
from scoring.queries.pool_coverage import pictures_known, unreadable, waiting_for
from scoring.queries.waiting_questions import questions_waiting
from scoring.services.stated_facts import state_facts

CHANGE = "scoring.change_registeredrival"

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
    readonly_fields = (
        "name", "kind", "model", "source", "weights_sha256", "options", "added_at", "pool", "waiting",
        "parameters",
    )  # fmt: skip
    fields = (*readonly_fields, *STATED)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What is said of a model may be changed; everything else is read alone."""
        return request.user.has_perm(CHANGE)

    def save_model(
        self, request: HttpRequest, obj: RegisteredRival, form: forms.ModelForm[RegisteredRival], change: bool
    ) -> None:
        rival = RegisteredRival.objects.get(pk=obj.pk)
        state_facts(rival=rival, facts=form.cleaned_data, by=signed_in(request), now=timezone.now())

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

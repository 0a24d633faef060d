"""How a study plays: its rules, and the solving that follows what spymasters make."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.winogavil import domain
from crowd.winogavil.models import Game
from crowd.winogavil.services.growing import grow, hits_lacking, open_places
from hits.access import studies_of
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import Batch
from hits.queries import answers_wanted


class GameForm(forms.ModelForm[Game]):
    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        study, batch = (
            values.get("study", self.instance.study_id and self.instance.study),
            values.get("solve_batch"),
        )
        if batch and study and batch.study_id != study.pk:
            self.add_error("solve_batch", "This batch belongs to another study.")
        if values.get("grows") and not batch:
            self.add_error("grows", "Choose the batch that is to grow.")
        return values


@admin.register(Game)
class GameAdmin(admin.ModelAdmin[Game]):
    form = GameForm
    list_display = ("study", "feedback", "solve_batch", "grows", "problem")
    ordering = ("study__name",)
    change_form_template = "admin/winogavil/game.html"
    change_list_template = "admin/winogavil/list.html"
    actions = None
    fieldsets = (
        (None, {"fields": ("study", "feedback")}),
        ("Cues", {"fields": ("inner_marks", "names_allowed")}),
        ("Solving", {"fields": ("solve_batch", "grows")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("study", "solve_batch__study")
        return rows.filter(study__in=studies_of(request.user))

    def get_readonly_fields(self, request: HttpRequest, obj: Game | None = None) -> tuple[str, ...]:
        return ("study",) if obj else ()

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("<int:game_id>/grow/", shown(self.grow_view), name="winogavil_grow"),
            path("of-study/<int:study_id>/", shown(self.of_study_view), name="winogavil_game_of_study"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        about = (
            "How each study plays: what a word may be, what solvers are told, and the batch that solves. "
            "A study without a row here plays by the paper's rules."
        )
        extra = {"title": "Association games", "about": about, **(extra_context or {})}
        return super().changelist_view(request, extra)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Chosen from what there is: studies and batches are made and deleted on their own pages."""
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name in {"study", "solve_batch"} and field:
            field.widget.can_add_related = field.widget.can_change_related = False
            field.widget.can_delete_related = field.widget.can_view_related = False
        return field

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only what this person may see, and batches that were launched to solve."""
        visible = studies_of(request.user)
        if db_field.name == "study":
            kwargs["queryset"] = visible.order_by("name")
        if db_field.name == "solve_batch":
            launched = Batch.objects.filter(launched_at__isnull=False, task=domain.SOLVE, study__in=visible)
            kwargs["queryset"] = launched.filter(items_from=Batch.ItemsFrom.POOL).select_related("study")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        game = self.get_object(request, object_id)
        batch = game.solve_batch if game else None
        solving = batch and {
            "batch": batch,
            "wanted": answers_wanted(batch),
            "places": open_places(batch),
            "lacking": hits_lacking(batch),
        }
        extra = {**(extra_context or {}), "solving": solving}
        return super().change_view(request, object_id, form_url, extra)

    def of_study_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        """A study that plays by the paper's rules has no row yet: then the form that makes one."""
        if game := self.get_queryset(request).filter(study=study_id).first():
            return redirect("admin:winogavil_game_change", game.pk)
        return redirect(f"{reverse('admin:winogavil_game_add')}?{urlencode({'study': study_id})}")

    def grow_view(self, request: HttpRequest, game_id: int) -> HttpResponse:
        """The researcher's click where solving does not grow by itself."""
        game = get_object_or_404(self.get_queryset(request), pk=game_id)
        if request.method != "POST" or not request.user.has_perm("hits.steer_batch"):
            raise PermissionDenied
        try:
            added = grow(game=game, by=signed_in(request), now=timezone.now())
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            words = f"{added} HITs are on their way." if added else "There are places for all wanted answers."
            messages.success(request, words)
        return redirect("admin:winogavil_game_change", game.pk)

"""The page of a study's association game: its rules, its cards in the order of the work."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from crowd.winogavil import domain
from crowd.winogavil.admin import cards
from crowd.winogavil.models import Game
from crowd.winogavil.services.threshold_changes import note_set_up, note_threshold
from hits.admin.projects.project_cards import CardOf
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.studies.models import Batch

SOLVING = ("solve_batch", "grows")


class RulesForm(forms.ModelForm[Game]):
    """Form of the game's rules, without the fields about solving until the game is set up and has batches."""

    class Meta:
        model = Game
        fields = ("feedback", "inner_marks", "names_allowed", "selection_threshold", *SOLVING)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.pk:
            for name in SOLVING:
                del self.fields[name]
        else:
            chosen: Any = self.fields["solve_batch"]
            chosen.queryset = self._batches()

    def _batches(self) -> QuerySet[Batch]:
        return Batch.objects.filter(
            study=self.instance.study_id,
            task=domain.SOLVE,
            launched_at__isnull=False,
            items_from=Batch.ItemsFrom.POOL,
        ).select_related("study")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("grows") and not values.get("solve_batch"):
            self.add_error("grows", "Choose the batch that is to grow.")
        return values


@admin.register(Game)
class GameAdmin(ProjectPages[Game]):
    name = "Association game"
    about = (
        "How each study plays: what a word may be, what solvers are told, and the batch that solves. "
        "A study without a row here plays by the rules that a new game has; its own page leads there."
    )
    rules = RulesForm
    stands_unset = True
    list_display = ("study", "feedback", "selection_threshold", "solve_batch", "grows", "problem")
    list_select_related = ("study", "solve_batch__study")
    ordering = ("study__name",)
    cards: ClassVar[Sequence[CardOf]] = cards.CARDS

    def note_on(self, project: Game) -> str:
        if project.pk:
            return ""
        return (
            "The game of this study is not set up: it plays by the rules of a new game. Its bonuses are "
            "only those of the study's own table. Set it up to change the rules and to launch from here."
        )

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """Note the set-up in the audit log, too."""
        note_set_up(game=obj, by=signed_in(request), now=timezone.now())
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> LogEntry:
        """Note another threshold in the audit log, too."""
        if isinstance(message, list) and "selection_threshold" in message[0]["changed"]["fields"]:
            note_threshold(game=obj, by=signed_in(request), now=timezone.now())
        return super().log_change(request, obj, message)

    def growing_batch(self, project: Game, task: str, batches: Sequence[Batch]) -> Batch | None:
        """Batch that a task grows in; solving grows only in the batch that the settings name."""
        if task == domain.SOLVE and project.solve_batch_id:
            batches = [batch for batch in batches if batch.pk == project.solve_batch_id]
        return super().growing_batch(project, task, batches)

"""The page of a study's exception procedure: its steps, in their order, and its results."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern

from crowd.winoventi.admin import cut_page, nouns, step_actions
from crowd.winoventi.admin.forms import SettingsForm, SetUpForm
from crowd.winoventi.admin.pipeline import cards_of
from crowd.winoventi.challenge.admin import data_files, errors_page, evaluations, statistics, word_pages
from crowd.winoventi.models import Project, Step
from hits.admin.projects.project_cards import Card
from hits.admin.projects.project_page import ProjectPages
from hits.identity.models.users import User
from hits.studies.models import Batch

NAME = "Exception procedure"


@admin.register(Project)
class ProjectAdmin(ProjectPages[Project]):
    name = NAME
    about = (
        "One for each study: from nouns to pairs that a model gets wrong, in five steps, and how people do. "
        "Its rules can be changed later; earlier decisions are then made again."
    )
    rules, first_rules = SettingsForm, SetUpForm
    list_display = ("study", "generics_model", "filter_model", "rule")

    def more_urls(self) -> Sequence[URLPattern]:
        return [
            self.at("<int:pk>/<slug:kind>/draft/", step_draft_view, "step_draft"),
            *nouns.urls(self),
            *cut_page.urls(self),
            *data_files.PAGE.urls(self),
            *statistics.urls(self),
            *evaluations.urls(self),
            *errors_page.urls(self),
            *word_pages.urls(self),
            *step_actions.urls(self),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        rows = super().get_queryset(request)
        models = rows.select_related("generics_model", "perplexity_model", "filter_model", "tagger")
        return models.prefetch_related(Prefetch("steps", Step.objects.select_related("batch")))

    @admin.display(description="a pair fails if")
    def rule(self, project: Project) -> str:
        return f"{project.get_fails_by_display()}: {project.fails_at} of {project.answers_wanted}"

    def make_cards(self, project: Project, user: User) -> Iterable[Card]:
        return cards_of(self, project, user)

    def growing_batch(self, project: Project, task: str, batches: Sequence[Batch]) -> Batch | None:
        """The batch that the step names as its own, if it is among these."""
        step = _step_of(project, task)
        return super().growing_batch(project, task, [one for one in batches if one.pk == step.batch_id])

    def keep_draft(self, project: Project, draft: Batch) -> None:
        """Make the draft the step's own batch, unless the step has one that was launched."""
        step = _step_of(project, draft.task)
        if step.batch is None or step.batch.status in (Batch.Status.DRAFT, Batch.Status.CANCELLED):
            Step.objects.filter(pk=step.pk).update(batch=draft, problem="")

    def note_on(self, project: Project) -> str:
        stale = "The rules have changed: decisions by the old ones are being made again."
        return stale if project.is_stale else ""


def step_draft_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """Redirect from where drafts were begun before their address named the task."""
    step = get_object_or_404(pages.find(request, pk).steps, kind=kind)
    if not step.task:
        raise Http404
    return redirect(pages.address(step.project, "draft", step.task))


def _step_of(project: Project, task: str) -> Step:
    return next(step for step in project.steps.all() if step.task == task)

"""The numbers of a project, each linked to the list behind it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from crowd.winoventi.admin.tallies import Tallies
from crowd.winoventi.models import Project, Step
from crowd.winoventi.models.model_runs import ModelRun
from hits.admin.actions import RowButton
from hits.admin.projects.project_cards import Metric, Progress


@dataclass(frozen=True, kw_only=True)
class RunProgress:
    """A model's progress on one model run, or the problem that keeps it."""

    name: str
    done: int
    of: int
    is_open: bool
    problem: str

    def as_progress(self) -> Progress:
        name = f"{self.name}: the model is being asked" if self.is_open else self.name
        return Progress(name=name, done=self.done, of=self.of)


@dataclass(frozen=True, kw_only=True)
class ProjectCounts:
    """The counts, model runs and buttons that all cards of a project are made of."""

    project: Project
    tallies: Tallies
    model_runs: Mapping[tuple[str, int], ModelRun]
    # The buttons of a step that this user may press.
    buttons: Callable[[Step], Sequence[RowButton]]

    def of(self, what: str, *keys: str) -> int:
        """Number of rows in these states, or in any state where none is named."""
        found = self.tallies[what]
        return sum(found[key] for key in keys) if keys else sum(found.values())

    def row(self, name: str, model: str, *states: str) -> Metric:
        """A metric that links to its list, unless the count is 0."""
        count = self.of(model, *states)
        return Metric(name=name, count=count, url=list_url(self.project, model, *states) if count else "")

    def running(self, purpose: str, rival: int | None, name: str, *, done: int, of: int) -> list[RunProgress]:
        model_run = self.model_runs.get((purpose, rival or 0))
        if model_run is None or not (model_run.is_open or model_run.problem or model_run.failed):
            return []
        failed = f"{model_run.failed} have no answer that will come. " if model_run.failed else ""
        problem = f"{failed}{model_run.problem}"
        return [RunProgress(name=name, done=done, of=of, is_open=model_run.is_open, problem=problem)]


def list_url(project: Project, model: str, *states: str, **more: str) -> str:
    query = {"project__study__id__exact": str(project.study_id), **more}
    if states:
        query["state__in"] = ",".join(states)
    return f"{reverse(f'admin:winoventi_{model}_changelist')}?{urlencode(query)}"


def list_url_of_judgements(project: Project) -> str:
    query = urlencode({"premise__project__study__id__exact": project.study_id})
    return f"{reverse('admin:winoventi_judgement_changelist')}?{query}"

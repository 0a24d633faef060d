"""A project as a pipeline: for each step what came in, went out and stayed behind, and what is next."""

from collections.abc import Sequence
from dataclasses import dataclass

from crowd.winoventi.admin.counted import Counted, Panel
from crowd.winoventi.admin.panels import PANELS
from crowd.winoventi.admin.tallies import tallies_of
from crowd.winoventi.models import Inquiry, Project


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    project: Project
    panels: Sequence[Panel]

    @property
    def is_running(self) -> bool:
        return any(one.is_open for panel in self.panels for one in panel.running)

    @property
    def next(self) -> Panel | None:
        return next((panel for panel in self.panels if panel.next), None)


def pipeline_of(project: Project) -> Pipeline:
    """In three queries, however much there is."""
    inquiries = {
        (one.purpose, one.rival_id): one for one in Inquiry.objects.filter(project=project).order_by("pk")
    }
    counted = Counted(project=project, tallies=tallies_of(project), inquiries=inquiries)
    steps = {step.kind: step for step in project.steps.select_related("batch")}
    panels = [PANELS[kind](counted, steps[kind]) for kind in PANELS if kind in steps]
    return Pipeline(project=project, panels=panels)

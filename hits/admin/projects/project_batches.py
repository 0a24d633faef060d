"""What the panels of a project ask of workers, and by which batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, QuerySet

from hits import families
from hits.admin.projects.project_base import HubBase
from hits.admin.projects.project_cards import Panel
from hits.batches.services import top_up
from hits.studies.models import Batch
from hits.work.models.items import Item

MOST_BATCHES = 5


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One task of a panel: how much is asked of workers, and by which batches."""

    task: str
    name: str
    items: int
    batches: Sequence[Batch]
    # So many HITs more, and every wanted answer has a place.
    lacking: int
    draft_url: str
    grow_url: str = ""

    @property
    def waits_for_a_launch(self) -> bool:
        return bool(self.items) and not any(batch.status in top_up.GROWING for batch in self.batches)


@dataclass(frozen=True, kw_only=True)
class Shown:
    panel: Panel
    asked: Sequence[Asked] = field(default_factory=tuple)


def with_batches(hub: HubBase[Any], panels: Sequence[Panel], project: Any) -> list[Shown]:
    tasks = [task for panel in panels for task in panel.tasks]
    batches: Sequence[Batch] = ()
    wanting: Mapping[str, int] = {}
    if tasks:
        batches = batches_of(project.study_id, tasks)
        counted = items_wanting(project.study_id, tasks).order_by().values_list("task").annotate(Count("pk"))
        wanting = dict(counted)
    return [
        Shown(
            panel=panel,
            asked=[_asked(hub, task, batches, project, items=wanting.get(task, 0)) for task in panel.tasks],
        )
        for panel in panels
    ]


def _asked(hub: HubBase[Any], task: str, batches: Sequence[Batch], project: Any, *, items: int) -> Asked:
    own = [batch for batch in batches if batch.task == task]
    running = hub.growing_batch(project, task, own)
    return Asked(
        task=task,
        name=families.get(task).name,
        items=items,
        batches=own[:MOST_BATCHES],
        lacking=top_up.hits_lacking(running) if running else 0,
        draft_url=hub.address(project, "draft", task),
        grow_url=hub.address(project, "grow", running.public_id) if running else "",
    )


def batches_of(study: int, tasks: Sequence[str]) -> list[Batch]:
    """The newest first."""
    rows = Batch.objects.filter(study=study, task__in=tasks).select_related("account")
    return list(rows.order_by("-pk"))


def items_wanting(study: int, tasks: Sequence[str]) -> QuerySet[Item]:
    return Item.objects.filter(study=study, task__in=tasks, wanted__gt=0, pulled_at=None, batch=None)

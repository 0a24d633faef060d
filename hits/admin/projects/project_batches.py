"""The answers that a project's cards ask workers for, and the batches that ask for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, QuerySet

from hits import families
from hits.admin.projects.project_base import ProjectPagesBase
from hits.admin.projects.project_cards import Card
from hits.batches.services import top_up
from hits.core.domain.counted_nouns import plural
from hits.studies.models import Batch
from hits.work.models.items import Item

MOST_BATCHES = 5
Status = Batch.Status
# In these a batch asks its workers, or asks them again without another launch.
ASKING = (*top_up.GROWING, Status.LAUNCHING, Status.PAUSED, Status.PAUSED_FUNDS)


@dataclass(frozen=True, kw_only=True)
class TaskDemand:
    """One task of a card: how much it asks of workers, and by which batches."""

    task: str
    name: str
    noun: str
    items: int
    batches: Sequence[Batch]
    # How many more HITs give every needed answer a place.
    lacking: int
    draft_url: str
    grow_url: str = ""
    # The newest draft: whoever wants to launch goes on with it, and makes no second one.
    draft: Batch | None = None

    @property
    def waits_for_a_launch(self) -> bool:
        return bool(self.items) and not any(batch.status in ASKING for batch in self.batches)

    @property
    def next(self) -> str:
        wait = f"{plural(self.items, self.noun)} wait{'s' if self.items == 1 else ''} for workers"
        if self.waits_for_a_launch:
            return f"Launch a batch of “{self.name}”: {wait}."
        more = f"{plural(self.lacking, 'HIT')} more would ask for all answers"
        return f"Add HITs to the batch of “{self.name}”: {wait}, and {more}." if self.lacking else ""


@dataclass(frozen=True, kw_only=True)
class ShownCard:
    card: Card
    asked: Sequence[TaskDemand] = field(default_factory=tuple)

    @property
    def next(self) -> str:
        """What is to be done here, in words: what the card says, or what its items wait for."""
        return self.card.next or next((one.next for one in self.asked if one.next), "")


def with_batches(pages: ProjectPagesBase[Any], cards: Sequence[Card], project: Any) -> list[ShownCard]:
    tasks = [task for card in cards for task in card.tasks]
    batches: Sequence[Batch] = ()
    wanting: Mapping[str, int] = {}
    if tasks:
        batches = batches_of(project.study_id, tasks)
        counted = items_wanting(project.study_id, tasks).order_by().values_list("task").annotate(Count("pk"))
        wanting = dict(counted)
    return [
        ShownCard(
            card=card,
            asked=[_asked(pages, task, batches, project, items=wanting.get(task, 0)) for task in card.tasks],
        )
        for card in cards
    ]


def _asked(
    pages: ProjectPagesBase[Any], task: str, batches: Sequence[Batch], project: Any, *, items: int
) -> TaskDemand:
    own = [batch for batch in batches if batch.task == task]
    running = pages.growing_batch(project, task, own)
    return TaskDemand(
        task=task,
        name=families.get(task).name,
        noun=families.get(task).item_noun,
        items=items,
        batches=own[:MOST_BATCHES],
        lacking=top_up.hits_lacking(running) if running else 0,
        draft_url=pages.address(project, "draft", task),
        grow_url=pages.address(project, "grow", running.public_id) if running else "",
        draft=next((batch for batch in own if batch.status == Status.DRAFT), None),
    )


def batches_of(study: int, tasks: Sequence[str]) -> list[Batch]:
    """The study's batches of these tasks, the newest first."""
    rows = Batch.objects.filter(study=study, task__in=tasks).select_related("account")
    return list(rows.order_by("-pk"))


def items_wanting(study: int, tasks: Sequence[str]) -> QuerySet[Item]:
    return Item.objects.filter(study=study, task__in=tasks, wanted__gt=0, pulled_at=None, batch=None)

"""What a draft would cost with other numbers of items, by the functions of its check page."""

from dataclasses import dataclass
from math import ceil

from django.db.models import Count, Max, Sum

from hits.admin.batches.prices import Plan, plan_with
from hits.batches.services.drafting import MOST_HITS, hits_for
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch


@dataclass(frozen=True, kw_only=True)
class AskedItems:
    """What a draft asks. `each`: the answers to a further item, as other items of the task need them.

    `is_each_known`: there are such items.
    """

    batch: Batch
    items: int
    answers: int
    each: int
    is_each_known: bool

    @property
    def as_it_stands(self) -> "PlannedItems":
        """The draft as its check page has it, with the number of HITs that is saved."""
        plan = plan_with(self.batch, hits_wanted=self.batch.hits_wanted)
        return PlannedItems(items=self.items, answers=self.answers, plan=plan)

    def with_items(self, items: int) -> "PlannedItems":
        answers = self._answers_to(items)
        return PlannedItems(items=items, answers=answers, plan=_plan(self.batch, answers=answers))

    def _answers_to(self, items: int) -> int:
        if items < self.items:
            return ceil(self.answers * items / self.items)
        return self.answers + (items - self.items) * self.each


@dataclass(frozen=True, kw_only=True)
class PlannedItems:
    """A number of items, and what asking them takes.

    `plan`: None for no answers, and for more than one batch can ask.
    """

    items: int
    answers: int
    plan: Plan | None


def asked_items(batch: Batch) -> AskedItems:
    asked = items_of_batch(batch).filter(wanted__gt=0, pulled_at=None)
    found = asked.aggregate(items=Count("pk"), answers=Sum("wanted"), each=Max("answers_needed"))
    each = found["each"] or _each_elsewhere(batch)
    return AskedItems(
        batch=batch,
        items=found["items"],
        answers=found["answers"] or 0,
        each=each or batch.assignments_per_hit,
        is_each_known=bool(each),
    )


def count_settled(batch: Batch) -> int:
    """Return how many items of the draft's task need no answer any more, in the whole study."""
    asked = Item.objects.filter(study=batch.study_id, task=batch.task, answers_needed__gt=0)
    return asked.filter(wanted=0, pulled_at=None).count()


def _each_elsewhere(batch: Batch) -> int | None:
    items = Item.objects.filter(study=batch.study_id, task=batch.task, answers_needed__gt=0)
    return items.order_by("-pk").values_list("answers_needed", flat=True).first()


def _plan(batch: Batch, *, answers: int) -> Plan | None:
    hits = hits_for(batch, answers=answers)
    room = hits * batch.items_per_assignment * batch.assignments_per_hit
    if not answers or answers > room or hits * len(batch.sizes) > MOST_HITS:
        return None
    return plan_with(batch, hits_wanted=hits)

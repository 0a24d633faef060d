"""Rows of the procedure as a rehearsal copies them: without the works that they were made by."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Model, QuerySet

from crowd.winoventi.models import Alternative, Choice, Judgement, Premise, Project, Prompt, Step
from crowd.winoventi.procedure.services.step_items import waiting_for
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.models.leases import Lease

# The row that a row was made of.
MADE_OF: dict[type[Model], str] = {
    Alternative: "generic",
    Premise: "alternative",
    Judgement: "premise",
    Prompt: "premise",
    Choice: "prompt",
}


# Rows that a copied row leads to, read along with it.
OF_GENERIC = ("project", "item", "worker", "noun__project")
OF_ALTERNATIVE = ("project", "item", "worker", "generic", *(f"generic__{one}" for one in OF_GENERIC))
OF_PREMISE = ("project", "item", "worker", "alternative", *(f"alternative__{one}" for one in OF_ALTERNATIVE))


def projects_of(items: QuerySet[Item]) -> Iterator[Model]:
    """Yield the project and its steps. What its rules once decided stays as it is."""
    for project in Project.objects.filter(study__in=items.values("study")):
        project.is_stale = False
        yield project
    steps = Step.objects.filter(project__study__in=items.values("study")).select_related("batch")
    for step in steps:
        if step.batch and step.batch.status != Batch.Status.DRAFT:
            step.batch = None
        yield step


def coming_by_themselves(items: QuerySet[Item], *, kind: str) -> Iterator[Model]:
    """Yield rows that enter this step without a click, and will be asked about by the same batch."""
    steps = Step.objects.filter(project__study__in=items.values("study"), kind=kind, by_itself=True)
    for step in steps.select_related("project"):
        yield from without_work(waiting_for(project=step.project, kind=kind))


def without_work(rows: Iterable[Model]) -> Iterator[Model]:
    """Yield rows as if they had been recorded elsewhere: a work would lead to its HIT and its batch."""
    for row in rows:
        for one in _origins(row):
            if hasattr(one, "assignment_id"):
                one.assignment_id = None
        yield row


def answers_there(items: QuerySet[Item]) -> Iterator[tuple[Lease, Any]]:
    """Yield each answer that is there or on its way, with what was written; None where nothing is yet."""
    wanting = items.filter(wanted__gt=0)
    rows = Lease.objects.filter(item__in=wanting).exclude(status__in=Lease.NO_ANSWER)
    for lease in rows.select_related("item", "assignment").order_by("pk"):
        yield lease, (lease.assignment.answer or {}).get(str(lease.item.public_id))


def _origins(row: Model | None) -> Iterator[Model]:
    while row is not None:
        yield row
        row = getattr(row, MADE_OF[type(row)]) if type(row) in MADE_OF else None

"""Counts of a project's rows by state, all of them in one query."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.models import CharField, Count, F, QuerySet, Value
from django.db.models.functions import Cast

from crowd.winoventi import domain
from crowd.winoventi.domain.prompts import Template
from crowd.winoventi.models import Choice, Judgement, Premise, Project, Reading, Step
from crowd.winoventi.procedure.services.step_items import waiting_for
from hits.studies.models import Batch
from hits.work.models.items import Item

Tallies = dict[str, dict[str, int]]
NOT_ASKING = (Batch.Status.DRAFT, Batch.Status.CANCELLED, Batch.Status.COMPLETE)
# States in which the reason is counted, too.
STOPPED = (Premise.State.MALFORMED, Premise.State.FAILED)


def tallies_of(project: Project) -> Tallies:
    """Counts by what is counted and by its state; a state without rows is 0."""
    first, *others = _parts(project)
    found: Tallies = defaultdict(lambda: defaultdict(int))
    for what, key, count in first.union(*others, all=True):
        found[what][key] = count
    return found


def _parts(project: Project) -> Iterator[QuerySet[Any, Any]]:
    yield _count(project.nouns.all(), "noun")
    read = Reading.objects.filter(noun__project=project, template=Template.IS_NOT_COMMA)
    yield _count(read.filter(rival=project.generics_model), "read")
    yield _count(project.generics.all(), "generic", "state")
    yield _count(project.alternatives.all(), "alternative", "state")
    yield _count(project.premises.all(), "premise", "state")
    yield _count(project.premises.filter(state__in=STOPPED), "reason", "reason")
    yield _count(Judgement.objects.filter(premise__project=project), "judgement")
    chosen = Choice.objects.filter(
        prompt__premise__project=project, prompt__premise__state=Premise.State.VALID
    )
    yield _count(chosen, "chosen", "prompt__kind")
    yield _count(chosen.filter(is_right=True), "right", "prompt__kind")
    asked = Item.objects.filter(study=project.study_id, task__in=domain.TASKS)
    yield _count(asked.filter(wanted__gt=0, pulled_at=None), "asked", "task")
    batches = Batch.objects.filter(study=project.study_id, task__in=domain.TASKS)
    yield _count(batches.exclude(status__in=NOT_ASKING), "asking", "task")
    for kind in Step.TASKS:
        yield _count(waiting_for(project=project, kind=kind), "waiting", key=kind)


def _count(rows: QuerySet[Any], what: str, field: str = "", *, key: str = "") -> QuerySet[Any, Any]:
    """One row for each value of the field, or a single row where no field is named."""
    text = CharField()
    named = rows.order_by().annotate(
        tallied=Value(what, text), by=Cast(F(field), text) if field else Value(key, text)
    )
    counted: QuerySet[Any, Any] = named.values("tallied", "by").annotate(count=Count("pk"))
    return counted.values_list("tallied", "by", "count")

"""The tasks of a study whose answers can be compared."""

from django.db.models import Count, Q

from hits import families
from hits.families import Purpose, StatesJudgments, TaskType
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment

COUNTING = Q(hits__assignments__status__in=Assignment.COUNTING)


def compared_tasks(study: Study) -> list[TaskType]:
    """Return the tasks of the study's launched batches whose answers can be compared, most work first.

    Tests are left out: they are no data.
    """
    batches = Batch.objects.filter(study=study).exclude(launched_at=None)
    counted = batches.values("task").annotate(works=Count("hits__assignments", filter=COUNTING))
    keys = counted.order_by("-works", "task").values_list("task", flat=True)
    tasks = (families.registered().get(key) for key in keys)
    return [
        task
        for task in tasks
        if task is not None and task.purpose == Purpose.WORK and isinstance(task, StatesJudgments)
    ]

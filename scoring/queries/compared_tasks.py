"""The tasks of a study whose answers can be compared."""

from hits import families
from hits.families import Purpose, StatesJudgments, TaskType
from hits.studies.models import Batch, Study


def compared_tasks(study: Study) -> list[TaskType]:
    """Return the tasks of the study's launched batches whose answers can be compared; tests are no data."""
    batches = Batch.objects.filter(study=study).exclude(launched_at=None)
    keys = batches.order_by("task").values_list("task", flat=True).distinct()
    tasks = (families.registered().get(key) for key in keys)
    return [
        task
        for task in tasks
        if task is not None and task.purpose == Purpose.WORK and isinstance(task, StatesJudgments)
    ]

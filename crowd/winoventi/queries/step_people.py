"""Who took part in which steps of a study."""

from collections.abc import Collection

from django.db.models import QuerySet

from hits.work.models.assignments import Assignment


def work_apart(study_id: int, tasks: Collection[str]) -> QuerySet[Assignment]:
    """Work on these tasks that was begun and neither returned nor abandoned."""
    of_study = Assignment.objects.filter(hit__batch__study=study_id, hit__batch__task__in=tasks)
    return of_study.exclude(status=Assignment.Status.GONE)

"""Earlier work that keeps its workers from taking part."""

from django.db.models import Q, QuerySet

from hits import families
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment


def work_shut_out(batch: Batch) -> QuerySet[Assignment]:
    """Work in the batches whose workers may not take part in this one."""
    excluded = batch.exclude_batches.through.objects.filter(from_batch=batch.pk).values("to_batch")
    barred = Q(hit__batch__in=excluded)
    task = families.registered().get(batch.task)
    if task and task.wants_newcomers:
        harmless = [batch.task, *families.beside_work()]
        barred |= Q(hit__batch__study=batch.study_id) & ~Q(hit__batch__task__in=harmless)
    return _kept().filter(barred)


def work_of_group(batch: Batch) -> QuerySet[Assignment]:
    """Work in the other batches of this batch's repeat group, on the same account."""
    if not batch.repeat_group:
        return Assignment.objects.none()
    group = Batch.objects.filter(account=batch.account_id, repeat_group=batch.repeat_group)
    return _kept().filter(hit__batch__in=group.exclude(pk=batch.pk).values("pk"))


def _kept() -> QuerySet[Assignment]:
    """Work that was neither returned nor abandoned."""
    return Assignment.objects.exclude(status=Assignment.Status.GONE)

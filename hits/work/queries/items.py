"""Items and answers that a batch asks for."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from hits import families
from hits.studies.models import Batch
from hits.work.models.items import Item


def room_of(batch: Batch) -> int:
    """Number of answers that the batch's plan has room for."""
    return answers_of(batch, places=batch.hits_wanted * batch.assignments_per_hit)


def answers_of(batch: Batch, *, places: int) -> int:
    """Number of answers that so many assignments bring: attention items take their share of the pages."""
    return places * batch.items_per_assignment * (100 - batch.attention_rate) // 100


def places_for(batch: Batch, *, answers: int) -> int:
    """Number of assignments that bring so many answers, rounded up."""
    return -(-answers * 100 // (batch.items_per_assignment * (100 - batch.attention_rate)))


def items_of_batch(batch: Batch) -> QuerySet[Item]:
    """Items of the batch: its own if it has its own source, otherwise those of its study's pool."""
    source = Q(batch=None) if batch.items_from == Batch.ItemsFrom.POOL else Q(batch=batch)
    return Item.objects.filter(source, study=batch.study_id, task=batch.task)


def batches_wanting(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    """Batches that still need an answer, found without counting how many."""
    asked = Item.objects.filter(study=OuterRef("study"), task=OuterRef("task"), wanted__gt=0, pulled_at=None)
    of_pool = Q(items_from=Batch.ItemsFrom.POOL)
    own, pooled = Exists(asked.filter(batch=OuterRef("pk"))), Exists(asked.filter(batch=None))
    return batches.filter((of_pool & pooled) | (~of_pool & own))


def answers_wanted(batch: Batch) -> int:
    """Number of answers still needed, which sizes a batch.

    A test takes every worker who comes: it needs as many answers as it has places, if it has any item to ask.
    """
    wanting = items_of_batch(batch).filter(wanted__gt=0, pulled_at=None)
    if families.is_test(batch.task):
        return room_of(batch) if wanting.exists() else 0
    return wanting.aggregate(sum=Sum("wanted"))["sum"] or 0

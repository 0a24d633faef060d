"""What a batch asks."""

from django.db.models import Q, QuerySet, Sum

from hits.models import Batch, Item


def items_of_batch(batch: Batch) -> QuerySet[Item]:
    """Its own items where it has some, and else those of its study's pool."""
    source = Q(batch=None) if batch.items_from == Batch.ItemsFrom.POOL else Q(batch=batch)
    return Item.objects.filter(source, study=batch.study_id, task=batch.task)


def answers_wanted(batch: Batch) -> int:
    """How many answers are still wanted: what sizes a batch."""
    wanting = items_of_batch(batch).filter(wanted__gt=0, pulled_at=None)
    return wanting.aggregate(sum=Sum("wanted"))["sum"] or 0

"""Services on batches that every room may use."""

from django.db.models import F

from hits.studies.models import Batch


def mark_stale(batch_id: int) -> None:
    """Mark a batch as changed, so that its figures and its reservation are counted again.

    It locks the batch's row until the caller's transaction ends, so it comes last there.
    """
    Batch.objects.filter(pk=batch_id).update(is_stale=True, marks=F("marks") + 1)

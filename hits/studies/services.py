"""What every room may tell of a batch."""

from django.db.models import F

from hits.studies.models import Batch


def mark_stale(batch_id: int) -> None:
    """Something of it has changed: its figures and its reservation want counting anew.

    It locks the batch's row until the caller's transaction ends, so it comes last there.
    """
    Batch.objects.filter(pk=batch_id).update(is_stale=True, marks=F("marks") + 1)

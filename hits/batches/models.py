"""History of batches: append-only rows that say who did what."""

from django.db import models

from hits.studies.models import Batch


class BatchEvent(models.Model):
    """One thing that was done to a batch, and by whom. Append-only."""

    study_path = "batch__study"

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=32)
    words = models.CharField(max_length=500)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["batch", "id"], name="batch_event_in_order"),
            models.Index(fields=["at"], name="batch_event_by_time"),
        ]

    def __str__(self) -> str:
        return self.words

from django.db import models
from django.db.models import F, Max, Q

from hits.work.models.hits import HIT

LONGEST_REASON = 500


class EarlyEndQuerySet(models.QuerySet["EarlyEnd"]):
    def in_force(self) -> "EarlyEndQuerySet":
        """Keep those whose HIT still ends then: it was given no more time since, there or from here."""
        return self.filter(hit__expires_at=F("ended_at"))

    def reasons(self, *, most: int = 3) -> list[str]:
        """Return what the operator wrote of these, each text once, the latest first."""
        told = self.order_by().exclude(reason="").values("reason").annotate(last=Max("found_at"))
        return list(told.order_by("-last", "reason").values_list("reason", flat=True)[:most])


class EarlyEnd(models.Model):
    """An end of a HIT with free places that came at the provider before its time, and not from here."""

    study_path = "hit__batch__study"

    hit = models.ForeignKey(HIT, models.CASCADE, related_name="early_ends")
    ended_at = models.DateTimeField()
    # When it would have ended.
    due_at = models.DateTimeField()
    free_places = models.PositiveIntegerField()
    # What the provider's operator wrote of it, where they have and the provider tells it.
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    found_at = models.DateTimeField()
    # Once it stands in the batch's history.
    noted_at = models.DateTimeField(null=True)

    objects = EarlyEndQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["hit", "ended_at"], name="early_end_once")]
        indexes = [
            models.Index(fields=["found_at"], name="early_end_by_time"),
            models.Index(fields=["found_at"], condition=Q(noted_at=None), name="early_end_to_note"),
        ]

    def __str__(self) -> str:
        return f"{self.hit} ended early"

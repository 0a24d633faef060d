from typing import ClassVar

from django.db import models
from django.db.models import Q

from crowd.winogavil.models.associations import Association
from hits.identity.models.users import User
from hits.identity.models.workers import Worker


class CueReport(models.Model):
    """A worker's report that a cue is unfit. Nobody is shown the cue until a person has decided on it."""

    purge_path = "association__item__study"

    class Reason(models.TextChoices):
        INAPPROPRIATE = "inappropriate", "it is inappropriate"
        OTHER = "other", "something else"

    class Status(models.TextChoices):
        OPEN = "open"
        UPHELD = "upheld", "Upheld: it stays away"
        DISMISSED = "dismissed", "Dismissed: it is asked again"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPEN: {Status.UPHELD, Status.DISMISSED},
        Status.UPHELD: {Status.DISMISSED},
        Status.DISMISSED: {Status.UPHELD},
    }

    association = models.ForeignKey(Association, models.CASCADE, related_name="reports")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=16, choices=Reason)
    text = models.CharField(max_length=500, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    reported_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        permissions = [("decide_cuereport", "Can decide on reported cues")]
        constraints = [
            models.UniqueConstraint(fields=["association", "worker"], name="cue_report_once_per_worker")
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="open"), name="cue_report_open"),
        ]

    def __str__(self) -> str:
        return f"{self.association}: {self.get_reason_display()}"

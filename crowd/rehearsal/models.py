from typing import Any, ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.users import User
from hits.studies.models import Batch


class Rehearsal(models.Model):
    """A rehearsal of a draft, from the moment that somebody asked for it to its report.

    The rows are the queue. One that was cut off is told as such, and begins anew when somebody says so.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting to be played"
        PLAYING = "playing", "Being played"
        DONE = "done", "Complete"
        CANCELLED = "cancelled", "Cancelled"
        INTERRUPTED = "interrupted", "Interrupted"
        FAILED = "failed", "Failed"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.WAITING: {Status.PLAYING, Status.FAILED, Status.CANCELLED},
        Status.PLAYING: {Status.DONE, Status.FAILED, Status.CANCELLED, Status.INTERRUPTED},
        Status.DONE: set(),
        Status.CANCELLED: {Status.WAITING},
        Status.INTERRUPTED: {Status.WAITING},
        Status.FAILED: {Status.WAITING},
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="rehearsals")
    assumed: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()
    seed = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status, default=Status.WAITING)
    problem = models.CharField(max_length=500, blank=True)
    # How far it is: complete runs, and items that are final in the run that is being played.
    runs_done = models.PositiveSmallIntegerField(default=0)
    items_done = models.PositiveIntegerField(default=0)
    items_all = models.PositiveIntegerField(default=0)
    # Who plays it, and until when its silence is no sign of its end.
    token = models.UUIDField(null=True, editable=False)
    held_until = models.DateTimeField(null=True, editable=False)
    report: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.CheckConstraint(
                condition=~Q(status="done") | ~Q(report={}), name="rehearsal_done_reports"
            ),
            models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(problem=""), name="rehearsal_failed_says_why"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status__in=["waiting", "playing"]), name="rehearsal_open")
        ]

    def __str__(self) -> str:
        return f"Rehearsal {self.pk}"

    @property
    def runs(self) -> int:
        """How many runs were asked for."""
        return int(self.assumed["runs"])

    @property
    def is_open(self) -> bool:
        return self.status in (self.Status.WAITING, self.Status.PLAYING)

"""Appeals of workers who disagree with what was paid, or ask."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment


class Appeal(models.Model):
    """A question of a worker about one submission, and the answer. One at a time may be open."""

    study_path = "assignment__hit__batch__study"

    class Status(models.TextChoices):
        OPEN = "open", "Waits for an answer"
        GRANTED = "granted", "Answered: the worker was right"
        ANSWERED = "answered", "Answered: nothing changes"
        WITHDRAWN = "withdrawn", "Withdrawn by the worker"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPEN: {Status.GRANTED, Status.ANSWERED, Status.WITHDRAWN},
        Status.GRANTED: set(),
        Status.ANSWERED: set(),
        Status.WITHDRAWN: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="appeals")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="appeals")
    text = models.CharField(max_length=2000)
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    made_at = models.DateTimeField()
    answer = models.CharField(max_length=2000, blank=True, help_text="What the worker reads.")
    answered_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("answer_appeal", "Can answer workers' appeals")]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(status="open"), name="appeal_one_open"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="appeal_says_something"),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(status="open"), name="appeal_open")]

    def __str__(self) -> str:
        return self.text[:60]

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.whoops.models.projects import Project
from scoring.models import RegisteredRival


class QuestionMaking(models.Model):
    """Questions that a registered tagger makes of the captions of images. The row is the queue."""

    class Status(models.TextChoices):
        OPEN = "open", "Being made"
        DONE = "done", "Made"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {Status.OPEN: {Status.DONE}, Status.DONE: set()}

    project = models.ForeignKey(Project, models.CASCADE, related_name="question_makings")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    # The number of the last image whose captions were read.
    cursor = models.PositiveIntegerField(default=0)
    made = models.PositiveIntegerField(default=0)
    # Questions that two captions of an image answer differently, which are left out.
    disagreed = models.PositiveIntegerField(default=0)
    # Captions that the tagger could not read, and what it waits for.
    failed = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=500, blank=True)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(status="open"), name="whoops_one_making_at_once"
            ),
        ]

    def __str__(self) -> str:
        return f"Questions made by {self.rival}"

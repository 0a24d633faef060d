from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.whoops.models.images import Image
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment

LONGEST_TEXT = 500
# Why a row is dropped whose answer no longer counts or was about an earlier picture; no person decided it.
TAKEN_OUT = "Its work is not part of the data."


class Annotation(models.Model):
    """One worker's three texts about an image."""

    purge_path = "image__project__study"

    class State(models.TextChoices):
        COUNTED = "counted", "Counted"
        HELD = "held", "Held back until a person decides"
        DROPPED = "dropped", "Dropped: another worker is asked"

    TRANSITIONS = {
        State.HELD: {State.COUNTED, State.DROPPED},
        # Only an undo moves it back to HELD.
        State.COUNTED: {State.DROPPED, State.HELD},
        State.DROPPED: {State.COUNTED, State.HELD},
    }

    image = models.ForeignKey(Image, models.CASCADE, related_name="annotations")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    caption = models.CharField(max_length=LONGEST_TEXT)
    explanation = models.CharField(max_length=LONGEST_TEXT)
    underspecified = models.CharField(max_length=LONGEST_TEXT)
    state = models.CharField(max_length=8, choices=State, default=State.COUNTED)
    # What text filters found, each as "caption: word".
    flags = models.JSONField(default=list)
    # Which filters have read it: the name and version of each, and what it found.
    filtered_by = models.JSONField(default=list)
    why = models.CharField("why it was dropped", max_length=300, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("decide_annotation", "Can decide which annotations count")]
        constraints = [models.UniqueConstraint(fields=["image", "worker"], name="whoops_annotation_once")]
        indexes = [models.Index(fields=["image"], condition=Q(state="held"), name="whoops_annotation_held")]

    def __str__(self) -> str:
        return self.caption

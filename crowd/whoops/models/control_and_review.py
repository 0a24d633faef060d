"""Control answers and reviews: what an image has to pass before it is accepted."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.whoops.models.images import Image
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment


class ControlAnswer(models.Model):
    """One control-group worker's answer about an image, and whether it is what the designer meant."""

    purge_path = "image__project__study"

    image = models.ForeignKey(Image, models.CASCADE, related_name="control_answers")
    revision = models.PositiveSmallIntegerField()
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    text = models.CharField(max_length=500, blank=True)
    saw_nothing = models.BooleanField(default=False)
    # None: a person still has to compare it with the designer's explanation.
    seen = models.BooleanField(null=True)
    # Written for the designer by the person who compared it.
    note = models.CharField(max_length=300, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    # The lease of the person who compares it at the moment.
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["image", "revision", "worker"], name="whoops_control_answer_once"
            ),
            models.CheckConstraint(condition=~Q(saw_nothing=True, seen=True), name="whoops_nothing_not_seen"),
        ]
        indexes = [
            models.Index(fields=["image"], condition=Q(seen=None), name="whoops_control_to_decide"),
            models.Index(fields=["decided_by", "-decided_at"], name="whoops_control_by_person"),
        ]

    def __str__(self) -> str:
        return self.text or "Nothing weird"


class Review(models.Model):
    """One reviewer's verdict on whether an image could hurt somebody."""

    image = models.ForeignKey(Image, models.CASCADE, related_name="reviews")
    revision = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    is_harmful = models.BooleanField()
    note = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["image", "revision", "by"], name="whoops_review_once"),
            models.CheckConstraint(condition=Q(is_harmful=False) | ~Q(note=""), name="whoops_harm_is_named"),
        ]
        indexes = [models.Index(fields=["by", "-at"], name="whoops_review_by_person")]

    def __str__(self) -> str:
        return "Harmful" if self.is_harmful else "Harmless"

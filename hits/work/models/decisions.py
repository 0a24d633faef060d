"""Decisions of people on submitted work, and their notes beside it."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from hits.work.models.assignments import Assignment


class Decision(models.Model):
    """One person's decision on an assignment. The row comes first; a sweep tells the provider."""

    study_path = "assignment__hit__batch__study"

    class Kind(models.TextChoices):
        APPROVE = "approve", "Approve"
        KEEP_OUT = "keep_out", "Pay, and keep out of the data"
        REJECT = "reject", "Reject"
        OVERRIDE = "override", "Approve after all"

    class Status(models.TextChoices):
        WAITING = "waiting", "Waits for a second person"
        INTENDED = "intended", "On its way"
        DONE = "done"
        UNDONE = "undone", "Undone before it was sent"
        DECLINED = "declined", "Declined by the second person"
        REFUSED = "refused", "Refused by the provider"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.WAITING: {Status.INTENDED, Status.DECLINED, Status.UNDONE},
        Status.INTENDED: {Status.DONE, Status.REFUSED, Status.UNDONE},
        Status.DONE: set(),
        Status.UNDONE: set(),
        Status.DECLINED: set(),
        Status.REFUSED: set(),
    }

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="decisions")
    kind = models.CharField(max_length=16, choices=Kind)
    status = models.CharField(max_length=16, choices=Status)
    reason = models.CharField(max_length=1024, blank=True, help_text="What the worker reads.")
    category = models.CharField(
        max_length=32,
        blank=True,
        db_default="",
        help_text="The provider's own word for why work is rejected, where it asks for one.",
    )
    by = models.ForeignKey("hits.User", models.PROTECT, related_name="decisions")
    second_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()
    # Until then it can be undone.
    send_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(status__in=("waiting", "intended")),
                name="decision_one_on_its_way",
            ),
            models.CheckConstraint(
                condition=~Q(kind="reject") | ~Q(reason=""), name="decision_rejects_with_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(second_by=None) | ~Q(second_by=F("by")), name="decision_two_people"
            ),
        ]
        indexes = [
            models.Index(fields=["send_at"], condition=Q(status="intended"), name="decision_to_send"),
            models.Index(fields=["id"], condition=Q(status="waiting"), name="decision_waiting"),
            models.Index(fields=["made_at"], condition=Q(kind="reject"), name="decision_rejections"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.assignment}"


class Note(models.Model):
    """A note on an assignment for colleagues. No worker reads it."""

    study_path = "assignment__hit__batch__study"

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="notes")
    text = models.CharField(max_length=2000)
    by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.text[:60]

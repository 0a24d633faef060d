from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.models.assignments import Assignment


class Bonus(models.Model):
    """Money owed beyond the reward: one per submission and rule, never deleted, final once SENT."""

    class Status(models.TextChoices):
        OWED = "owed"
        APPROVED = "approved"
        SENDING = "sending"
        UNKNOWN = "unknown", "Unknown outcome"
        SENT = "sent"
        CONFIRMED = "confirmed"
        REFUSED = "refused"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OWED: {Status.APPROVED, Status.REFUSED},
        Status.APPROVED: {Status.SENDING, Status.REFUSED},
        Status.SENDING: {Status.SENT, Status.UNKNOWN, Status.REFUSED},
        Status.UNKNOWN: {Status.SENT, Status.APPROVED},  # only by the provider's own list
        Status.SENT: {Status.CONFIRMED},
        Status.CONFIRMED: set(),
        Status.REFUSED: {Status.APPROVED},
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="bonuses")
    rule = models.CharField(max_length=64)
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    reason = models.CharField(max_length=500, help_text="What the worker reads.")
    # Random, not derived from the row's number: a rebuilt database must never repeat a token.
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.OWED)
    problem = models.TextField(blank=True, help_text="Why it was refused, in the provider's words.")
    owed_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    sending_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "bonuses"
        permissions = [("approve_bonus", "Can approve bonuses for payment")]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "rule"], name="bonus_once_per_rule"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="bonus_positive"),
            models.CheckConstraint(
                condition=Q(status__in=("owed", "refused"))
                | Q(approved_by__isnull=False, approved_at__isnull=False),
                name="bonus_paid_was_approved",
            ),
        ]
        indexes = [
            models.Index(
                fields=["status", "id"],
                condition=Q(status__in=("approved", "sending", "unknown", "sent")),
                name="bonus_in_flight",
            ),
        ]

    def __str__(self) -> str:
        return f"${self.amount} for {self.assignment}"

    @property
    def reason_with_reference(self) -> str:
        """The reference is how a payment of unclear outcome is found again in the provider's list."""
        return f"{self.reason} [ref {self.token}]"

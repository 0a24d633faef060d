from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import F, Q

from hits.common.currencies import CHOICES, DEFAULT, in_money
from hits.work.models.assignments import Assignment


class Bonus(models.Model):
    """Money owed beyond the reward by one rule. Never deleted, final once SENT.

    A later change of a score never changes an obligation: it makes a new one, the next revision.
    """

    study_path = "assignment__hit__batch__study"

    class Status(models.TextChoices):
        OWED = "owed"
        APPROVED = "approved"
        SENDING = "sending"
        UNKNOWN = "unknown", "Unknown outcome"
        SENT = "sent"
        CONFIRMED = "confirmed", "Paid, confirmed by the provider"
        REFUSED = "refused", "Refused by the provider"
        COMPENSATING = "compensating", "Paid by a HIT of its own"
        WAIVED = "waived", "Given up by two people"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OWED: {Status.APPROVED, Status.WAIVED},
        Status.APPROVED: {Status.SENDING, Status.OWED},
        Status.SENDING: {Status.SENT, Status.UNKNOWN, Status.REFUSED, Status.APPROVED},
        Status.UNKNOWN: {Status.SENT, Status.APPROVED},  # only by the provider's own list
        # The provider said yes. Where its list does not show it, a person looks again (look_at) and decides.
        Status.SENT: {Status.CONFIRMED},
        Status.CONFIRMED: set(),
        # Not paid, and still owed: sent again under the same approval, decided on again, or paid by a HIT.
        Status.REFUSED: {Status.APPROVED, Status.OWED, Status.COMPENSATING},
        Status.COMPENSATING: {Status.CONFIRMED, Status.REFUSED},
        Status.WAIVED: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="bonuses")
    rule = models.CharField(max_length=64)
    revision = models.PositiveSmallIntegerField(default=0)
    why = models.CharField(max_length=500, blank=True, help_text="Why there is a later revision.")
    # The scores and steps that led to the amount, as the worker may see them.
    figures = models.JSONField(default=dict)
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    # That of its study and account, kept here so that sums by currency need neither.
    currency = models.CharField(
        max_length=3,
        choices=CHOICES,
        default=DEFAULT,
        db_default=DEFAULT,
        editable=False,
    )
    reason = models.CharField(max_length=500, help_text="What the worker reads.")
    # Made of the work, the rule and the revision: never of the row's number, which a rebuilt database gives
    # to another row.
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.OWED)
    problem = models.TextField(blank=True, help_text="Why it was refused, in the provider's words.")
    refusal_code = models.CharField(max_length=64, blank=True)
    # A hold keeps it out of every run until somebody lifts it.
    held_at = models.DateTimeField(null=True)
    held_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    held_reason = models.CharField(max_length=500, blank=True)
    owed_at = models.DateTimeField()
    prepared_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    # Approved by one person alone, before there were runs.
    before_runs = models.BooleanField(default=False, editable=False)
    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    sending_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    # When the provider's list is worth the next look, and how often it was looked at in vain.
    look_at = models.DateTimeField(null=True)
    looks = models.PositiveSmallIntegerField(default=0)
    # The batch of one HIT that pays it where no assignment serves.
    compensation = models.OneToOneField(
        "hits.Batch", models.PROTECT, null=True, related_name="compensates", editable=False
    )

    class Meta:
        verbose_name_plural = "bonuses"
        permissions = [
            ("hold_bonus", "Can hold bonuses and release them"),
            ("settle_bonus", "Can act on bonuses that were refused or whose outcome is unknown"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "rule", "revision"], name="bonus_once_per_rule"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="bonus_positive"),
            models.CheckConstraint(
                condition=Q(status="owed")
                | Q(before_runs=True)
                | (
                    Q(approved_by__isnull=False, approved_at__isnull=False, prepared_by__isnull=False)
                    & ~Q(approved_by=F("prepared_by"))
                ),
                name="bonus_decided_by_two",
            ),
            models.CheckConstraint(
                condition=Q(held_at=None) | (Q(held_by__isnull=False) & ~Q(held_reason="")),
                name="bonus_held_by_somebody",
            ),
        ]
        indexes = [
            models.Index(
                fields=["status", "look_at"],
                condition=Q(status__in=("approved", "sending", "unknown", "sent", "compensating")),
                name="bonus_in_flight",
            ),
            models.Index(
                fields=["status", "id"],
                condition=Q(status__in=("owed", "refused")),
                name="bonus_to_decide",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.in_words} for {self.assignment}"

    @property
    def in_words(self) -> str:
        """Amount in its currency."""
        return in_money(self.amount, self.currency)

    @property
    def reason_with_reference(self) -> str:
        """Reason with the reference that finds a payment of unclear outcome in the provider's list."""
        return f"{self.reason} [ref {self.token}]"

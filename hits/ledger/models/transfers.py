"""Ledger of studies, in double entry: one row is one transfer, so both of its sides always sum to zero."""

from django.db import models
from django.db.models import F, Q

from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment


class LedgerEntry(models.Model):
    """Amount moved from one book to another. Append-only: the database refuses updates and deletions."""

    study_path = "study"
    append_only = True

    class Book(models.TextChoices):
        GRANT = "grant", "Granted (from outside)"
        BUDGET = "budget"
        RESERVED = "reserved"
        OWED = "owed"
        APPROVED = "approved"
        SENT = "sent"
        CONFIRMED = "confirmed", "Confirmed by the provider"
        FEES = "fees"
        RELEASED = "released", "Given back"

    class Kind(models.TextChoices):
        GRANTED = "granted", "Budget granted or taken back"
        RESERVED = "reserved", "Set aside for a batch"
        RELEASED = "released", "Given back by a batch"
        REWARD = "reward", "Reward of approved work"
        REWARD_FEE = "reward_fee", "Fee on a reward"
        OWED = "owed", "Bonus owed"
        APPROVED = "approved", "Bonus approved"
        RETURNED = "returned", "Approval taken back"
        SENT = "sent", "Bonus sent"
        BONUS_FEE = "bonus_fee", "Fee on a bonus"
        CONFIRMED = "confirmed", "Bonus confirmed by the provider"
        WAIVED = "waived", "Bonus given up"
        COMPENSATED = "compensated", "Bonus paid by a HIT of its own"

    study = models.ForeignKey(Study, models.PROTECT, related_name="ledger")
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, related_name="ledger")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="ledger")
    bonus = models.ForeignKey(Bonus, models.PROTECT, null=True, related_name="ledger")
    kind = models.CharField(max_length=16, choices=Kind)
    source = models.CharField(max_length=16, choices=Book)
    target = models.CharField(max_length=16, choices=Book)
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    # The code at that moment: reports of a closed month must never change.
    grant_code = models.CharField(max_length=64, blank=True)
    words = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="ledger_moves_money"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="ledger_two_books"),
            # What happens once to a bonus, or to work, is booked once.
            models.UniqueConstraint(
                fields=["bonus", "kind"],
                condition=Q(kind__in=("owed", "sent", "bonus_fee", "confirmed", "waived")),
                name="ledger_bonus_once",
            ),
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(kind__in=("reward", "reward_fee")),
                name="ledger_reward_once",
            ),
        ]
        indexes = [
            # All columns by which a study's books are summed, so that no sum reads the rows themselves.
            models.Index(
                fields=["study", "at", "kind", "source", "target", "grant_code", "amount"],
                name="ledger_of_study",
            ),
            models.Index(fields=["batch", "kind", "id"], name="ledger_of_batch"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.source} → {self.target}"

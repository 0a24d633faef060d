"""Where the requester's money is. Every transfer is two rows that sum to zero."""

from django.db import models
from django.db.models import Q

from crowd.marketplace.models.people import Requester, Worker
from crowd.marketplace.models.work import Assignment


class LedgerEntry(models.Model):
    """One side of a transfer. Append-only."""

    class Account(models.TextChoices):
        DEPOSITS = "deposits"
        AVAILABLE = "available"
        HELD = "held"
        WORKERS = "workers"
        FEES = "fees"

    requester = models.ForeignKey(Requester, models.PROTECT, related_name="entries")
    account = models.CharField(max_length=16, choices=Account)
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    transfer = models.UUIDField()
    subject = models.CharField(max_length=64, help_text="The HIT, assignment or deposit it is about.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(amount=0), name="ledger_entry_moves_something"),
            models.UniqueConstraint(fields=["transfer", "account"], name="ledger_transfer_has_two_sides"),
        ]
        indexes = [models.Index(fields=["requester", "account"], name="ledger_by_account")]

    def __str__(self) -> str:
        return f"{self.account} {self.amount}"


class BonusPayment(models.Model):
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="bonuses")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="bonuses")
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    reason = models.TextField()
    granted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="bonus_payment_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for {self.assignment}"

"""Where the requester's money is. Every transfer is two rows that sum to zero."""

from django.db import models
from django.db.models import Q

from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.models.work import Assignment


class LedgerEntry(models.Model):
    """One side of a transfer. Append-only."""

    class Account(models.TextChoices):
        DEPOSITS = "deposits"
        AVAILABLE = "available"
        HELD = "held"
        WORKERS = "workers"
        FEES = "fees"
        PAID = "paid"  # to workers, outside the marketplace

    requester = models.ForeignKey(Requester, models.PROTECT, null=True, related_name="entries")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="entries")
    account = models.CharField(max_length=16, choices=Account)
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    transfer = models.UUIDField()
    subject = models.CharField(
        max_length=64, help_text="The HIT, assignment or deposit that the transfer is about."
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(amount=0), name="ledger_entry_moves_something"),
            models.UniqueConstraint(fields=["transfer", "account"], name="ledger_transfer_has_two_sides"),
            models.CheckConstraint(
                condition=Q(requester__isnull=False) | Q(worker__isnull=False),
                name="ledger_entry_is_of_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["requester", "account"], name="ledger_by_account"),
            models.Index(fields=["account", "created_at"], name="ledger_by_time"),
            models.Index(fields=["worker", "account", "created_at"], name="ledger_of_worker_by_time"),
        ]

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


class Payout(models.Model):
    """Money that the operator paid a worker outside the marketplace. A reference may be added later, once."""

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="payouts")
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    reference = models.CharField(max_length=128, blank=True, help_text="Words for the transfer in the books.")
    paid_by = models.CharField(max_length=64)
    paid_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="payout_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} to {self.worker}"

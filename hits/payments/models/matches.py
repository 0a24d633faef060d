"""The three-way match: our ledger, the provider's payments, the provider's balance."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.core.domain.days import moment_in_words
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account
from hits.work.models.hits import HIT


class Deposit(models.Model):
    """Money that was sent to the provider, or came back from it (negative). Append-only."""

    append_only = True

    account = models.ForeignKey(Account, models.PROTECT, related_name="deposits")
    amount = models.DecimalField(max_digits=13, decimal_places=2)
    words = models.CharField(max_length=200)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(amount=0), name="deposit_moves_money"),
            # `by` is None for the opening balance: what was there when the books began.
            models.UniqueConstraint(fields=["account"], condition=Q(by=None), name="deposit_one_opening"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} to {self.account}"


class Match(models.Model):
    """One comparison of an account, and what it found."""

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed", "Could not be finished"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.RUNNING: {Status.DONE, Status.FAILED},
        Status.DONE: set(),
        Status.FAILED: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    account = models.ForeignKey(Account, models.PROTECT, related_name="matches")
    status = models.CharField(max_length=8, choices=Status, default=Status.RUNNING)
    is_full = models.BooleanField(default=False, help_text="Every HIT was compared.")
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    hits_looked_at = models.PositiveIntegerField(default=0)
    hits_to_look_at = models.PositiveIntegerField(default=0)
    ours = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    theirs = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    balance = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    expected_balance = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    # The parts of the expected balance, in the account's currency.
    figures = models.JSONField(default=dict)
    # How often the balance was counted: a count is worthless while money or work is on its way.
    tries = models.PositiveSmallIntegerField(default=0)
    # The figures carry a sum over up to this ledger entry, so that history is not summed every day.
    carried_until = models.PositiveBigIntegerField(default=0)
    # look_at: when the next step is due; the process that takes it moves it ahead (a lease).
    # moved_at: when a step last made progress.
    look_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "matches"
        permissions = [("run_match", "Can compare the books with the provider's, and settle differences")]
        constraints = [
            models.UniqueConstraint(
                fields=["account"], condition=Q(status="running"), name="match_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["account", "-id"], name="match_of_account"),
            models.Index(fields=["ended_at"], name="match_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.account}, {moment_in_words(self.started_at)}"


class Difference(models.Model):
    """One disagreement between the books and the provider, with its cause and what to do about it."""

    class Cause(models.TextChoices):
        NOT_OURS = "not_ours", "Paid there, but by no bonus of ours"
        TWICE = "twice", "Paid there more than once"
        OTHER_AMOUNT = "other_amount", "Paid there with another amount"
        OTHER_WORKER = "other_worker", "Paid there to another worker"
        NOT_LISTED = "not_listed", "Sent by us, and not on the provider's list"
        UNCLEAR = "unclear", "Outcome unknown for too long"
        BALANCE = "balance", "The provider's balance is not what the books say"

    account = models.ForeignKey(Account, models.PROTECT, related_name="differences")
    cause = models.CharField(max_length=16, choices=Cause)
    # The key by which the next match finds this row again instead of making another.
    subject = models.CharField(max_length=200)
    bonus = models.ForeignKey(Bonus, models.PROTECT, null=True, related_name="differences")
    hit = models.ForeignKey(HIT, models.PROTECT, null=True, related_name="+")
    ours = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    theirs = models.DecimalField(max_digits=13, decimal_places=2, null=True)
    # How much this difference alone moves the provider's balance away from the books'.
    effect = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    words = models.CharField(max_length=1000, help_text="The finding, without any id of the provider.")
    first_match = models.ForeignKey(Match, models.PROTECT, related_name="found_first")
    last_match = models.ForeignKey(Match, models.PROTECT, related_name="found_last")
    resolved_at = models.DateTimeField(null=True)
    # None with resolved_at set: a later match no longer found it.
    resolved_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    resolution = models.CharField(max_length=1000, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "cause", "subject"],
                condition=Q(resolved_at=None),
                name="difference_open_once",
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(resolved_at=None), name="difference_open")]

    def __str__(self) -> str:
        return self.words[:80]

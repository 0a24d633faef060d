"""Bonus runs: one person prepares and freezes, another approves exactly what was frozen."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from hits.common.currencies import CHOICES, DEFAULT, in_money
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account


class Run(models.Model):
    """Bonuses that are decided on together. The manifest is what is approved, and nothing else."""

    class Kind(models.TextChoices):
        PAY = "pay", "Pay"
        WAIVE = "waive", "Give up, do not pay"

    class Status(models.TextChoices):
        DRAFT = "draft", "Being prepared"
        FROZEN = "frozen", "Frozen: waits for a second person"
        APPROVED = "approved"
        REFUSED = "refused", "Refused by the second person"
        VOID = "void", "Void: one of its bonuses changed"
        DISSOLVED = "dissolved", "Dissolved by its preparer"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.DRAFT: {Status.FROZEN, Status.DISSOLVED},
        Status.FROZEN: {Status.APPROVED, Status.REFUSED, Status.VOID, Status.DRAFT, Status.DISSOLVED},
        # A row changed between the approval and the payment: bonuses not yet sent are owed again.
        Status.APPROVED: {Status.VOID},
        Status.REFUSED: set(),
        Status.VOID: set(),
        Status.DISSOLVED: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PAY)
    title = models.CharField(max_length=128)
    note = models.CharField(max_length=2000, blank=True, help_text="For the person who approves.")
    status = models.CharField(max_length=16, choices=Status, default=Status.DRAFT)
    split_from = models.ForeignKey("self", models.PROTECT, null=True, related_name="splits")
    prepared_by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField()
    # SHA-256 over the sorted lines of the rows (the manifest). Empty until the run is frozen.
    digest = models.CharField(max_length=64, blank=True)
    total = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    # All bonuses of a run are of one currency.
    currency = models.CharField(max_length=3, choices=CHOICES, default=DEFAULT, db_default=DEFAULT)
    count = models.PositiveIntegerField(default=0)
    frozen_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=1000, blank=True, help_text="Why it was refused, or is void.")

    class Meta:
        permissions = [
            ("prepare_run", "Can prepare bonus runs"),
            ("approve_run", "Can approve and refuse bonus runs of others"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(decided_by=None) | ~Q(decided_by=F("prepared_by")), name="run_two_people"
            ),
            models.CheckConstraint(
                condition=~Q(status="approved")
                | (Q(decided_by__isnull=False, decided_at__isnull=False) & ~Q(digest="")),
                name="run_approved_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status__in=("draft", "frozen")), name="run_open"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def total_in_words(self) -> str:
        return in_money(self.total, self.currency)


class RunRow(models.Model):
    """One bonus in a run, and the line of the manifest that was approved."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="rows")
    bonus = models.ForeignKey(Bonus, models.PROTECT, related_name="rows")
    # False once the run came to nothing: the bonus may be in another run then.
    is_live = models.BooleanField(default=True)
    line = models.TextField(blank=True, help_text="The canonical line of the manifest.")
    digest = models.CharField(max_length=64, blank=True)
    # The warnings about outliers at the time of the freeze, and what the approval found besides.
    flags = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "bonus"], name="run_row_once"),
            models.UniqueConstraint(fields=["bonus"], condition=Q(is_live=True), name="run_row_one_live_run"),
        ]

    def __str__(self) -> str:
        return f"{self.bonus} in {self.run}"


class Halt(models.Model):
    """The kill switch: while a halt of the account or of all accounts is in force, nothing is sent.

    Payments that are on their way are settled all the same.
    """

    account = models.ForeignKey(
        Account, models.PROTECT, null=True, blank=True, related_name="halts", help_text="None: all accounts."
    )
    reason = models.CharField(max_length=500)
    # None: this program set it, for example for lack of funds.
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    lifted_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("set_halt", "Can stop all payments, and resume them")]
        constraints = [
            models.UniqueConstraint(
                Coalesce("account_id", 0), condition=Q(lifted_at=None), name="halt_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account or 'every account'}: {self.reason}"

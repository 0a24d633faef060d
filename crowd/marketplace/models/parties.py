"""The people who post work and those who do it. No relation to the researchers' users or workers."""

from decimal import Decimal
from functools import partial

from django.db import models
from django.db.models import Q

from crowd.marketplace import domain, seals


class Requester(models.Model):
    """A person who posts HITs. The two balances repeat the ledger's, so that overspending can be refused."""

    MOST_MONEY = Decimal(1_000_000)

    external_id = models.CharField(
        max_length=64, unique=True, default=partial(domain.new_id, length=14, prefix="A")
    )
    name = models.CharField(max_length=128, unique=True)
    fee_schedule = models.CharField(max_length=16, help_text="none, amazon, or a rate such as 5%")
    available = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    on_hold = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    ticket_key_sealed = models.TextField()
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="None of the requester's keys signs requests any longer."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(available__gte=0), name="requester_never_overdrawn"),
            models.CheckConstraint(condition=Q(on_hold__gte=0), name="requester_holds_no_less_than_nothing"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def fees(self) -> domain.FeeSchedule:
        return domain.fee_schedule(self.fee_schedule)

    @property
    def ticket_key(self) -> str:
        return seals.unseal(self.ticket_key_sealed)


class AccessKey(models.Model):
    """Credentials of the API. The secret is shown once; at rest it is sealed."""

    requester = models.ForeignKey(Requester, models.PROTECT, related_name="access_keys")
    access_key_id = models.CharField(max_length=32, unique=True)
    secret_sealed = models.TextField()
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.access_key_id

    @property
    def secret(self) -> str:
        return seals.unseal(self.secret_sealed)


class Worker(models.Model):
    """A person who does the work. Counts and money owed change in the transaction that moves the work."""

    external_id = models.CharField(
        max_length=64, unique=True, default=partial(domain.new_id, length=14, prefix="A")
    )
    name = models.CharField(max_length=64)
    sign_in_name = models.CharField(max_length=64, null=True, blank=True, unique=True)
    password = models.CharField(max_length=255, blank=True)
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=3, blank=True)
    is_adult = models.BooleanField(default=False)
    is_master = models.BooleanField(default=False)
    submitted = models.PositiveIntegerField(default=0)
    approved = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    earned = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    owed = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    created_at = models.DateTimeField()
    waits_since = models.DateTimeField(
        null=True, blank=True, help_text="Registered, and waits until an operator agrees."
    )
    suspended_at = models.DateTimeField(null=True, blank=True)
    erasure_requested_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(owed__gte=0), name="worker_never_overpaid"),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(owed__gt=0), name="worker_to_pay"),
            models.Index(
                fields=["waits_since"], condition=Q(waits_since__isnull=False), name="worker_to_admit"
            ),
            models.Index(
                fields=["erasure_requested_at"],
                condition=Q(erasure_requested_at__isnull=False, erased_at=None),
                name="worker_to_erase",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """A link that lets one worker in. Only the digest of its token is kept."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="invitations")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Invitation of {self.worker}"


class WorkerSession(models.Model):
    """A signed-in browser of the worker site."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="sessions")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"Session of {self.worker}"


class Block(models.Model):
    """A requester's refusal of one worker."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="blocks")
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "worker"], name="block_once"),
        ]

    def __str__(self) -> str:
        return f"{self.worker} blocked by {self.requester}"


class Message(models.Model):
    """A message to a worker: of a requester, through NotifyWorkers, or of those who run the marketplace."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="messages")
    # None: those who run the marketplace wrote it.
    requester = models.ForeignKey(Requester, models.PROTECT, null=True, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["worker", "-id"], name="message_of_worker"),
            models.Index(fields=["worker"], condition=Q(read_at=None), name="message_unread"),
        ]

    def __str__(self) -> str:
        return self.subject


class Operator(models.Model):
    """A person who runs the marketplace: keys, deposits, payouts, blocks."""

    sign_in_name = models.CharField(max_length=64, unique=True)
    password = models.CharField(max_length=255)
    created_at = models.DateTimeField()
    disabled_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.sign_in_name


class OperatorSession(models.Model):
    """A signed-in browser of the operator's desk."""

    operator = models.ForeignKey(Operator, models.CASCADE, related_name="sessions")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"Session of {self.operator}"


# Stands in a note before the ids of those whom an action was about.
NAMED = " – workers "


class AuditEntry(models.Model):
    """One action of an operator, for the audit log. The form's token makes it idempotent."""

    operator = models.ForeignKey(Operator, models.PROTECT, related_name="audit_entries")
    token = models.UUIDField(unique=True)
    what = models.CharField(max_length=64)
    about = models.CharField(max_length=64, blank=True, help_text="The requester's or worker's id.")
    note = models.CharField(max_length=500, blank=True)
    done_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["about", "-id"], name="audit_entry_about")]

    def __str__(self) -> str:
        return f"{self.what} {self.about}"

    @property
    def named(self) -> list[str]:
        """The ids of those it was about stand at the end of its note, if they were several."""
        return [] if self.about else self.note.partition(NAMED)[2].split(", ")

    @property
    def said(self) -> str:
        """The note is said without those ids."""
        return self.note if self.about else self.note.partition(NAMED)[0]

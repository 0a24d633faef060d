"""What is between us and a worker: blocks, letters, and who looked at a provider's id."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study


class Block(models.Model):
    """Soft: our pages take no more work of this worker. Hard: the provider offers them none of ours."""

    class Kind(models.TextChoices):
        SOFT = "soft", "Soft: ours alone"
        HARD = "hard", "Hard: the provider's too"

    class Status(models.TextChoices):
        INTENDED = "intended", "On its way to the provider"
        ACTIVE = "active"
        LIFTING = "lifting", "Being lifted at the provider"
        LIFTED = "lifted"
        REFUSED = "refused", "Refused by the provider"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.ACTIVE, Status.REFUSED, Status.LIFTING},
        Status.ACTIVE: {Status.LIFTING, Status.LIFTED},
        Status.LIFTING: {Status.LIFTED, Status.REFUSED},
        Status.LIFTED: set(),
        Status.REFUSED: {Status.LIFTED, Status.INTENDED, Status.LIFTING},
    }

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="blocks")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=16, choices=Status)
    reason = models.CharField(max_length=500, help_text="For the record. The provider is told it too.")
    by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    # Who is telling the provider: what blocks must not overtake what lifts.
    claimed_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    lifted_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        permissions = [("block_worker", "Can block workers and lift blocks")]
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "kind"],
                condition=~Q(status__in=("lifted", "refused")),
                name="block_once_at_a_time",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="block_has_a_reason"),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(status__in=("intended", "lifting")), name="block_to_send"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} block of {self.worker}"


class Message(models.Model):
    """A letter to workers through the provider, who sends it as mail."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    account = models.ForeignKey(Account, models.PROTECT, related_name="messages")
    study = models.ForeignKey(Study, models.PROTECT, null=True, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField(max_length=4096)
    by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        permissions = [("send_message", "Can write to workers")]

    def __str__(self) -> str:
        return self.subject


class Recipient(models.Model):
    """One worker of a message. An unclear outcome is never repeated by itself: nobody gets it twice."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed", "Not delivered"
        UNKNOWN = "unknown", "Unknown outcome"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.WAITING: {Status.SENDING},
        Status.SENDING: {Status.SENT, Status.FAILED, Status.UNKNOWN, Status.WAITING},
        Status.SENT: set(),
        Status.FAILED: {Status.WAITING},
        Status.UNKNOWN: {Status.WAITING, Status.SENT},
    }

    message = models.ForeignKey(Message, models.PROTECT, related_name="recipients")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="messages")
    status = models.CharField(max_length=16, choices=Status, default=Status.WAITING)
    problem = models.CharField(max_length=500, blank=True)
    sending_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["message", "worker"], name="recipient_once"),
        ]
        indexes = [
            models.Index(
                fields=["message", "id"],
                condition=Q(status__in=("waiting", "sending")),
                name="recipient_to_send",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.message} to {self.worker}"


class Disclosure(models.Model):
    """Somebody was shown a worker's id at the provider. Append-only."""

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="disclosures")
    user = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        permissions = [("see_worker_id", "Can see and search workers' ids at the provider")]

    def __str__(self) -> str:
        return f"{self.worker} to {self.user}"

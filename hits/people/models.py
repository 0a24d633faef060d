"""Contact with workers: letters to them, and records of people who were shown a provider's id."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study


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
    """Record that a user was shown a worker's id at the provider. Append-only."""

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="disclosures")
    user = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField()

    class Meta:
        permissions = [("see_worker_id", "Can see and search workers' ids at the provider")]

    def __str__(self) -> str:
        return f"{self.worker} to {self.user}"

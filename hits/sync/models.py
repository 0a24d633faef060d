"""Inbox of providers' notifications: each is kept first and handled afterwards, however often it comes."""

from django.db import models
from django.db.models import Q

from hits.core.models.fields import EncryptedTextField
from hits.providers.models.accounts import Account


class Notice(models.Model):
    """One message as it came, after its signature was checked. Its text is emptied once it is old."""

    account = models.ForeignKey(Account, models.PROTECT, related_name="notices")
    document_id = models.CharField(max_length=128, help_text="The provider's, the same at every repetition.")
    body = EncryptedTextField(blank=True)
    received_at = models.DateTimeField()
    handled_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "document_id"], name="notice_once"),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(handled_at=None), name="notice_to_handle"),
            models.Index(fields=["received_at"], condition=~Q(body=""), name="notice_to_purge"),
        ]

    def __str__(self) -> str:
        return self.document_id


class Event(models.Model):
    """One event of a notice. Events come in any order; an older one undoes nothing."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="events")
    account = models.ForeignKey(Account, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=40)
    occurred_at = models.DateTimeField()
    hit_external_id = models.CharField(max_length=64, blank=True)
    assignment_external_id = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["account", "assignment_external_id", "kind"], name="event_of_assignment"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.hit_external_id}"

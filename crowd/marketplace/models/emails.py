"""Workers' e-mail addresses, and the e-mails that wait to be sent to them."""

from django.db import models
from django.db.models import Q

from crowd.marketplace.models.parties import Message, Worker


class EmailAddress(models.Model):
    """A worker's e-mail address: the one that is confirmed, and the one given since, if it is another."""

    LONGEST = 254

    worker = models.OneToOneField(Worker, models.CASCADE, related_name="email_address")
    # Both in small letters, so that they can be looked for.
    address = models.CharField(max_length=LONGEST, blank=True, db_index=True)
    unconfirmed = models.CharField(max_length=LONGEST, blank=True, db_index=True)
    wants_messages = models.BooleanField(default=True)
    language = models.CharField(max_length=16)

    def __str__(self) -> str:
        return f"E-mail address of {self.worker}"


class Email(models.Model):
    """An e-mail to a worker. The rows are the queue; address and text are read when it is sent."""

    class Kind(models.TextChoices):
        CONFIRM = "confirm", "A link that confirms the address"
        INVITATION = "invitation", "A link that lets the worker in"
        RESET = "reset", "A link to a new password"
        ADMITTED = "admitted", "An operator agreed to the registration"
        MESSAGE = "message", "A message that stands on the site too"

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="emails")
    kind = models.CharField(max_length=16, choices=Kind)
    message = models.ForeignKey(Message, models.CASCADE, null=True, related_name="emails")
    asked_at = models.DateTimeField()
    # Also a lease: whoever sends it moves this ahead first. Compare and swap by the old value.
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True, help_text="Never an address.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="message", message__isnull=False) | ~Q(kind="message") & Q(message=None),
                name="email_of_a_message",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(sent_at=None, given_up_at=None), name="email_to_send"
            ),
            models.Index(fields=["sent_at"], condition=Q(sent_at__isnull=False), name="email_sent"),
            models.Index(
                fields=["given_up_at"], condition=Q(given_up_at__isnull=False), name="email_given_up"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.worker}"


class ResetRequest(models.Model):
    """Somebody forgot a password. Who that is, is looked up later, so that every answer takes as long."""

    typed = models.CharField(max_length=EmailAddress.LONGEST, help_text="A sign-in name or an e-mail address")
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Request of {self.asked_at:%Y-%m-%d %H:%M}"

"""What has happened, whom it is told, and what each person has chosen to be told."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from hits.core.models.fields import EncryptedTextField
from hits.identity.models.users import User
from hits.payments.models.runs import Run
from hits.review.models import Appeal
from hits.studies.models import Batch, Study


class Kind(models.TextChoices):
    ENDED = "ended", "A batch has ended"
    PAUSED = "paused", "A batch was paused"
    UNFUNDED = "unfunded", "A batch stands still: the account is out of money"
    IDLE = "idle", "An open batch: nobody has handed in for a day"
    EMPTY = "empty", "An open batch has nothing left to ask"
    EARLY = "early", "HITs were ended at the marketplace before their time"
    RUN = "run", "A bonus run waits for approval"
    DECIDED = "decided", "A bonus run that one has prepared was approved or refused"
    APPEAL = "appeal", "A worker asks about their work"
    TEST = "test", "A test message"


class Occurrence(models.Model):
    """One thing that has happened. What lasts is over at some time, and may then happen again."""

    kind = models.CharField(max_length=16, choices=Kind)
    key = models.CharField(max_length=64, help_text="What it happened to, and which time.")
    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="+")
    batch = models.ForeignKey(Batch, models.CASCADE, null=True, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="+")
    appeal = models.ForeignKey(Appeal, models.CASCADE, null=True, related_name="+")
    # Whoever did it knows, and is not told.
    by = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    words = models.CharField(max_length=300, help_text="Counts and names of batches; never of people.")
    at = models.DateTimeField()
    over_at = models.DateTimeField(null=True)
    # Set once there is a row for everybody who is told.
    told_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "key"], condition=Q(over_at=None), name="occurrence_once"
            ),
        ]
        indexes = [
            models.Index(fields=["at"], condition=Q(told_at=None, over_at=None), name="occurrence_to_tell"),
            models.Index(fields=["over_at"], condition=Q(over_at__isnull=False), name="occurrence_over"),
            models.Index(
                fields=["id"], condition=Q(kind__in=("empty", "idle"), over_at=None), name="occurrence_lasts"
            ),
        ]

    def __str__(self) -> str:
        return self.words


class AlertHook(models.Model):
    """An address of a lab to which a study's news are posted, such as a channel of a chat."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="alert_hook")
    # Whoever knows a chat's address may write there, so it is kept like a password.
    address = EncryptedTextField()
    secret = EncryptedTextField()
    kinds = models.JSONField(default=list)
    is_on = models.BooleanField(default=True)
    set_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"Address for news of {self.study}"


class How(models.TextChoices):
    OFF = "off", "Not at all"
    HOME = "home", "On the home page"
    EMAIL = "email", "On the home page and by e-mail"


class AlertChoice(models.Model):
    """What a person has chosen for one kind: for all studies, or for one that differs."""

    user = models.ForeignKey(User, models.CASCADE, related_name="alert_choices")
    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind)
    how = models.CharField(max_length=8, choices=How)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["user", "kind"], condition=Q(study=None), name="alert_choice_for_all"
            ),
            models.UniqueConstraint(
                fields=["user", "kind", "study"],
                condition=Q(study__isnull=False),
                name="alert_choice_for_a_study",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.get_kind_display()}: {self.get_how_display()}"


class Alert(models.Model):
    """One person, or one address, that is told of an occurrence. The rows are the queue of what is sent."""

    class Status(models.TextChoices):
        SHOWN = "shown", "On the home page alone"
        WAITING = "waiting", "Waits to be sent"
        SENDING = "sending"
        SENT = "sent"
        UNKNOWN = "unknown", "Perhaps sent: no answer came"
        FAILED = "failed", "Given up after many tries"
        DROPPED = "dropped", "Not sent: it may not be seen any more"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.SHOWN: set(),
        Status.WAITING: {Status.SENDING, Status.DROPPED},
        Status.SENDING: {Status.SENT, Status.WAITING, Status.FAILED, Status.UNKNOWN},
        Status.SENT: set(),
        # Nothing is told twice: what may have arrived is never sent again.
        Status.UNKNOWN: set(),
        Status.FAILED: set(),
        Status.DROPPED: set(),
    }

    occurrence = models.ForeignKey(Occurrence, models.CASCADE, related_name="alerts")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="alerts")
    hook = models.ForeignKey(AlertHook, models.CASCADE, null=True, related_name="alerts")
    status = models.CharField(max_length=8, choices=Status)
    tries = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    sending_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["occurrence", "user"], condition=Q(hook=None), name="alert_once_a_person"
            ),
            models.UniqueConstraint(
                fields=["occurrence", "hook"], condition=Q(user=None), name="alert_once_an_address"
            ),
            models.CheckConstraint(
                condition=Q(user=None, hook__isnull=False) | Q(user__isnull=False, hook=None),
                name="alert_for_one",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="waiting"), name="alert_to_send"),
            models.Index(fields=["sending_at"], condition=Q(status="sending"), name="alert_being_sent"),
            models.Index(fields=["sending_at"], condition=Q(status="failed"), name="alert_given_up"),
            models.Index(
                fields=["user", "sending_at"], condition=Q(sending_at__isnull=False), name="alert_last_mail"
            ),
            models.Index(fields=["user", "-id"], name="alert_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.occurrence} → {self.user or self.hook}"

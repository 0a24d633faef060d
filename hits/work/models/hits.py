"""HITs, and the changes of them that the provider must still be told."""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from hits.studies.models import Batch


class HIT(models.Model):
    """One task of a batch. Its row is the intent: it exists, with its token, before the provider is asked."""

    study_path = "batch__study"

    class Status(models.TextChoices):
        INTENDED = "intended"
        OPEN = "open"
        CLOSED = "closed"
        WITHDRAWN = "withdrawn", "Withdrawn before it was sent"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.OPEN, Status.WITHDRAWN},
        Status.OPEN: {Status.CLOSED},
        Status.CLOSED: {Status.OPEN},
        Status.WITHDRAWN: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hits")
    # Random, not derived from the row's number: a rebuilt database must never repeat a token.
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.INTENDED)
    external_id = models.CharField(max_length=64, blank=True)
    sent_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(default=timezone.now, null=True, editable=False)
    # When the provider was first asked: it remembers our token for a day, and not longer.
    asked_at = models.DateTimeField(null=True)
    # Claim of a sender, so that two do not ask at once.
    claimed_at = models.DateTimeField(null=True)
    # Which task of the batch it stands for: shards of one task share the number.
    number = models.PositiveIntegerField(default=1)
    max_assignments = models.PositiveIntegerField(default=1)
    # When starting ends at the provider; it may be lengthened.
    expires_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    # Time to start that a pause took and the resume gives back. None: no pause holds it.
    time_left = models.DurationField(null=True)
    # When it was last read whole, and what its counters said just before that.
    reconciled_at = models.DateTimeField(null=True)
    seen = models.CharField(max_length=64, blank=True)
    # When its payments were last compared with the provider's.
    matched_at = models.DateTimeField(null=True)
    # When it is looked at again. Every sign of a change brings it forward.
    look_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        verbose_name = "HIT"
        constraints = [
            models.UniqueConstraint(
                fields=["external_id"], condition=~Q(external_id=""), name="hit_external_id_once"
            ),
            models.CheckConstraint(
                condition=Q(status__in=("intended", "withdrawn"), external_id="")
                | (Q(status__in=("open", "closed")) & ~Q(external_id="")),
                name="hit_sent_has_external_id",
            ),
        ]
        indexes = [
            models.Index(fields=["batch", "id"], condition=Q(status="intended"), name="hit_to_send"),
            models.Index(fields=["look_at"], condition=Q(status="open"), name="hit_to_look_at"),
            models.Index(fields=["batch", "number"], name="hit_by_task"),
            models.Index(fields=["batch", "status"], name="hit_by_status"),
            models.Index(fields=["id"], condition=Q(time_left__isnull=False), name="hit_held_by_pause"),
            models.Index(fields=["matched_at"], condition=~Q(external_id=""), name="hit_to_match"),
        ]

    def __str__(self) -> str:
        return self.external_id or f"HIT {self.pk} (not sent)"


class Change(models.Model):
    """A change of an existing HIT that the provider must be told: the row comes first, a sweep sends it."""

    study_path = "hit__batch__study"

    class Kind(models.TextChoices):
        EXPIRE = "expire", "No new work starts"
        EXTEND = "extend", "More time to start"
        ADD = "add", "More places"

    class Status(models.TextChoices):
        INTENDED = "intended"
        DONE = "done"
        REFUSED = "refused"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.DONE, Status.REFUSED},
        Status.DONE: set(),
        Status.REFUSED: {Status.INTENDED},
    }

    hit = models.ForeignKey(HIT, models.PROTECT, related_name="changes")
    kind = models.CharField(max_length=8, choices=Kind)
    expires_at = models.DateTimeField(null=True)
    places = models.PositiveIntegerField(null=True)
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.INTENDED)
    problem = models.TextField(blank=True)
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # A second click on the same button finds the first one on its way.
            models.UniqueConstraint(
                fields=["hit", "kind"], condition=Q(status="intended"), name="change_one_on_its_way"
            ),
            models.CheckConstraint(
                condition=Q(kind="expire", expires_at=None, places=None)
                | Q(kind="extend", expires_at__isnull=False, places=None)
                | Q(kind="add", expires_at=None, places__gt=0),
                name="change_says_what",
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(status="intended"), name="change_to_send")]

    def __str__(self) -> str:
        return f"{self.kind} {self.hit}"

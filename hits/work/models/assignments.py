from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.work.models.hits import HIT


class Assignment(models.Model):
    """One worker's one attempt at a HIT. The raw answer never changes; every score can be rebuilt from it."""

    study_path = "hit__batch__study"

    class Status(models.TextChoices):
        OPENED = "opened", "Opened here"
        SAVED = "saved", "Saved here, not yet at the provider"
        SUBMITTED = "submitted"
        APPROVED = "approved"
        REJECTED = "rejected"
        GONE = "gone", "Returned or abandoned"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPENED: {Status.SAVED, Status.SUBMITTED, Status.GONE},
        Status.SAVED: {Status.SUBMITTED, Status.GONE},
        Status.SUBMITTED: {Status.APPROVED, Status.REJECTED},
        Status.APPROVED: set(),
        Status.REJECTED: {Status.APPROVED},
        # The provider's evidence wins over our clock.
        Status.GONE: {Status.SUBMITTED},
    }

    # Work that counts, unless it is kept out.
    COUNTING: ClassVar[tuple[Status, ...]] = (Status.SUBMITTED, Status.APPROVED)

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    account = models.ForeignKey(Account, models.PROTECT)
    hit = models.ForeignKey(HIT, models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    external_id = models.CharField(max_length=64)
    # Providers use an assignment id again after a return; the accept time tells the attempts apart.
    attempt = models.PositiveIntegerField()
    accepted_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField()
    status = models.CharField(max_length=16, choices=Status, default=Status.OPENED)
    answer = models.JSONField(null=True, editable=False)
    opened_at = models.DateTimeField()
    saved_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    rejected_at = models.DateTimeField(null=True)
    # The provider approves by itself then, unless somebody decides before.
    auto_approves_at = models.DateTimeField(null=True)
    # The provider's words when it refused to approve, and when it is asked again.
    problem = models.TextField(blank=True)
    approve_at = models.DateTimeField(null=True)
    # Paid, and no part of the data: its items are asked again.
    kept_out = models.BooleanField(default=False)
    # Seconds between accepting and submitting, from which the hourly wage is counted.
    worked_s = models.PositiveIntegerField(null=True)
    # Seconds counted from the page's heartbeats by our own clock, and the last beat. None: no heartbeats.
    active_s = models.PositiveIntegerField(null=True)
    beat_at = models.DateTimeField(null=True)
    # Set once its reward and fee are in the ledger.
    booked_at = models.DateTimeField(null=True)
    # Set once the bonus table has been read for it, owed or not.
    owed_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [
            ("review_assignment", "Can decide on submitted work"),
            ("second_rejection", "Can be the second person for a rejection"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "external_id", "worker", "attempt"], name="assignment_once"
            ),
            models.CheckConstraint(
                condition=~Q(status="saved") | Q(answer__isnull=False),
                name="assignment_saved_has_answer",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=("submitted", "approved", "rejected"))
                | Q(submitted_at__isnull=False),
                name="assignment_submitted_has_evidence",
            ),
        ]
        indexes = [
            models.Index(
                fields=["submitted_at"],
                condition=Q(submitted_at__isnull=False),
                name="assignment_by_hand_in",
            ),
            models.Index(
                fields=["id"],
                condition=Q(
                    status__in=("submitted", "approved"),
                    judged_at=None,
                    answer__isnull=False,
                    kept_out=False,
                ),
                name="assignment_to_judge",
            ),
            models.Index(
                fields=["id"],
                condition=Q(status="submitted", judged_at__isnull=False),
                name="assignment_to_approve",
            ),
            models.Index(
                fields=["id"], condition=Q(status="approved", owed_at=None), name="assignment_to_owe"
            ),
            models.Index(
                fields=["id"], condition=Q(status="approved", booked_at=None), name="assignment_to_book"
            ),
            models.Index(
                fields=["deadline_at"],
                condition=Q(status__in=("opened", "saved")),
                name="assignment_overdue",
            ),
            models.Index(
                fields=["auto_approves_at"],
                condition=Q(status="submitted"),
                name="assignment_approves_itself",
            ),
            models.Index(fields=["id", "hit"], condition=Q(status="submitted"), name="assignment_waiting"),
            models.Index(fields=["hit", "status"], name="assignment_by_status"),
            models.Index(fields=["worker", "-id"], name="assignment_of_worker"),
        ]

    def __str__(self) -> str:
        return self.external_id

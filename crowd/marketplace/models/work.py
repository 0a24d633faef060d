"""HIT types, HITs and assignments, with the counters from which a HIT's status follows."""

from django.db import models
from django.db.models import F, Q

from crowd.marketplace import domain
from crowd.marketplace.models.people import Requester, Worker


class HITType(models.Model):
    """What HITs share. Two HITs with equal terms have one type, found by the digest of those terms."""

    requester = models.ForeignKey(Requester, models.PROTECT)
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward = models.DecimalField(max_digits=13, decimal_places=2)
    assignment_duration_s = models.PositiveIntegerField()
    auto_approval_delay_s = models.PositiveIntegerField()
    requirements = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "digest"], name="hit_type_once_per_terms"),
        ]

    def __str__(self) -> str:
        return self.title


class HIT(models.Model):
    """One task with its counters. Every counter moves in the transaction that moves an assignment."""

    requester = models.ForeignKey(Requester, models.PROTECT)
    hit_type = models.ForeignKey(HITType, models.PROTECT)
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    question = models.TextField()
    external_url = models.CharField(max_length=2000)
    frame_height = models.PositiveIntegerField()
    annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    pending = models.PositiveIntegerField(default=0)
    submitted = models.PositiveIntegerField(default=0)
    approved = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    fee = models.DecimalField(max_digits=13, decimal_places=2)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Set once nobody can accept it any more and what was held for the rest is free again.
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    max_assignments__gte=F("pending") + F("submitted") + F("approved") + F("rejected")
                ),
                name="hit_never_overfull",
            ),
        ]
        indexes = [
            models.Index(fields=["requester", "-id"], name="hit_by_requester"),
            models.Index(fields=["id"], condition=Q(closed_at=None), name="hit_open"),
            models.Index(fields=["expires_at"], condition=Q(closed_at=None), name="hit_to_expire"),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def counts(self) -> domain.Counts:
        done = self.submitted + self.approved + self.rejected
        return domain.Counts(maximum=self.max_assignments, pending=self.pending, done=done)


class Assignment(models.Model):
    """One acceptance of a HIT by a worker. Returned and abandoned ones stay as history."""

    class Status(models.TextChoices):
        ACCEPTED = "Accepted"
        SUBMITTED = "Submitted"
        APPROVED = "Approved"
        REJECTED = "Rejected"
        RETURNED = "Returned"
        ABANDONED = "Abandoned"

    # Holds the worker's place in the HIT: one at a time, and for good once submitted.
    HOLDING = (Status.ACCEPTED, Status.SUBMITTED, Status.APPROVED, Status.REJECTED)

    hit = models.ForeignKey(HIT, models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    attempt = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.ACCEPTED)
    accepted_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    auto_approval_at = models.DateTimeField(null=True)
    approved_at = models.DateTimeField(null=True)
    rejected_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)
    feedback = models.CharField(max_length=1024, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=Q(status__in=("Accepted", "Submitted", "Approved", "Rejected")),
                name="assignment_one_per_worker_and_hit",
            ),
            models.UniqueConstraint(fields=["hit", "worker", "attempt"], name="assignment_attempt_once"),
        ]
        indexes = [
            models.Index(fields=["deadline_at"], condition=Q(status="Accepted"), name="work_overdue"),
            models.Index(
                fields=["auto_approval_at"], condition=Q(status="Submitted"), name="work_to_approve"
            ),
            models.Index(fields=["worker", "-id"], name="work_of_worker"),
        ]

    def __str__(self) -> str:
        return self.external_id


class RequestToken(models.Model):
    """A UniqueRequestToken and what it made, remembered for 24 hours."""

    requester = models.ForeignKey(Requester, models.CASCADE)
    operation = models.CharField(max_length=64)
    token = models.CharField(max_length=64)
    made = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "operation", "token"], name="request_token_once"),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.token}"

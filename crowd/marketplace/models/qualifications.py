"""Qualification types, the qualifications that workers hold, and their requests."""

import re

from django.db import models
from django.db.models import Q

from crowd.marketplace import domain
from crowd.marketplace.models.parties import Requester, Worker
from hits.common.type_keywords import GIVEN_FOR_WORK

# Types have no token, so that programs end a name with digits of their own: "Solver test [4523a96f]".
MARK = re.compile(r"\s*\[[0-9a-f][0-9a-f-]{6,}\]\Z")


class QualificationType(models.Model):
    class Status(models.TextChoices):
        ACTIVE = "Active"
        INACTIVE = "Inactive"

    requester = models.ForeignKey(Requester, models.PROTECT, related_name="qualification_types")
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    name = models.CharField(max_length=200)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    status = models.CharField(max_length=8, choices=Status)
    test = models.TextField(blank=True, help_text="A QuestionForm.")
    answer_key = models.TextField(blank=True)
    test_duration_s = models.PositiveIntegerField(null=True)
    retry_delay_s = models.PositiveIntegerField(null=True, help_text="None: one attempt only.")
    is_auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(default=1)
    created_at = models.DateTimeField()
    disposed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(disposed_at=None),
                name="qualification_type_name_once",
            ),
            models.CheckConstraint(
                condition=Q(test="") | Q(test_duration_s__isnull=False, is_auto_granted=False),
                name="qualification_test_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_given_for_work(self) -> bool:
        """Whether its requester says that asking for it is in vain."""
        return GIVEN_FOR_WORK in self.keywords.replace(",", " ").split()

    @property
    def plain_name(self) -> str:
        """The name as workers read it: without the mark by which its requester's program finds it again."""
        return MARK.sub("", self.name) or self.name


class Qualification(models.Model):
    """One worker's qualification of one type; a revoked one stays, so that it can be listed."""

    type = models.ForeignKey(QualificationType, models.PROTECT, related_name="qualifications")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="qualifications")
    value = models.IntegerField()
    granted_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True, help_text="The requester's words to the worker.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["type", "worker"], name="qualification_once_per_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.value}"


class QualificationRequest(models.Model):
    """A worker's request for a qualification; with a test, from the moment the worker begins the test."""

    class Status(models.TextChoices):
        STARTED = "Started"  # the test is open
        PENDING = "Pending"  # waits for the requester
        GRANTED = "Granted"
        REJECTED = "Rejected"
        LAPSED = "Lapsed"  # the test's time ran out
        WITHDRAWN = "Withdrawn"  # by the worker

    OPEN = (Status.STARTED, Status.PENDING)

    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    type = models.ForeignKey(QualificationType, models.PROTECT, related_name="requests")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="qualification_requests")
    status = models.CharField(max_length=16, choices=Status)
    started_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"],
                condition=Q(status__in=("Started", "Pending")),
                name="qualification_request_one_open",
            ),
        ]
        indexes = [
            models.Index(fields=["type", "id"], condition=Q(status="Pending"), name="request_to_decide"),
            models.Index(fields=["deadline_at"], condition=Q(status="Started"), name="test_overdue"),
            models.Index(fields=["worker", "type", "-id"], name="request_of_worker"),
        ]

    def __str__(self) -> str:
        return self.external_id

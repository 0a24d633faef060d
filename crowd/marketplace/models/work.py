"""HIT types, HITs and assignments, with the counters from which a HIT's status follows."""

from decimal import Decimal

from django.db import models
from django.db.models import F, Q

from crowd.marketplace import domain
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.models.qualifications import QualificationType
from hits.common.possible_bonus import read_bonus

HAS_PLACES = Q(max_assignments__gt=F("pending") + F("submitted") + F("approved") + F("rejected"))


class HITType(models.Model):
    """The terms that HITs share. HITs with equal terms have one type, found by the digest of those terms."""

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
    required = models.ManyToManyField(QualificationType, related_name="hit_types")
    # True while one of its HITs may still be accepted: the worker's list looks at no others.
    is_listed = models.BooleanField(default=False)
    # Seconds from acceptance to submission of the work that was approved last: the list says what is typical.
    work_times_s = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "digest"], name="hit_type_once_per_terms"),
        ]
        indexes = [
            models.Index(fields=["-id"], condition=Q(is_listed=True), name="listed_by_age"),
            models.Index(fields=["-reward", "-id"], condition=Q(is_listed=True), name="listed_by_reward"),
            models.Index(
                fields=["assignment_duration_s", "-id"], condition=Q(is_listed=True), name="listed_by_time"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def typical_hourly(self) -> Decimal | None:
        return domain.typical_hourly(reward=self.reward, times_s=self.work_times_s)

    @property
    def words(self) -> str:
        """The description without the possible bonus, which pages show beside the reward."""
        return read_bonus(self.description)[0]

    @property
    def most_bonus(self) -> Decimal | None:
        return read_bonus(self.description)[1]


class Layout(models.Model):
    """A page of HTML with ${placeholders} that the operator keeps for a requester."""

    requester = models.ForeignKey(Requester, models.CASCADE, related_name="layouts")
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    name = models.CharField(max_length=128)
    html = models.TextField()
    frame_height = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "name"], name="layout_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class HIT(models.Model):
    """One task with its counters. Every counter moves in the transaction that moves an assignment."""

    class Kind(models.TextChoices):
        EXTERNAL = "external"  # the requester's own page in a frame
        HTML = "html"  # the requester's HTML, also that of a layout
        FORM = "form"  # a QuestionForm

    requester = models.ForeignKey(Requester, models.PROTECT)
    hit_type = models.ForeignKey(HITType, models.PROTECT)
    external_id = models.CharField(max_length=64, unique=True, default=domain.new_id)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.EXTERNAL)
    question = models.TextField()
    external_url = models.CharField(max_length=2000, blank=True)
    layout = models.ForeignKey(Layout, models.PROTECT, null=True, related_name="hits")
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
    # Set once no worker can accept it any more and the money held for the remaining places is free again.
    closed_at = models.DateTimeField(null=True)
    # Ids of returned and abandoned assignments: the next acceptance bears one of them again.
    free_ids = models.JSONField(default=list)
    is_reviewing = models.BooleanField(default=False)
    disposed_at = models.DateTimeField(null=True)
    assignment_review_policy = models.JSONField(null=True)
    hit_review_policy = models.JSONField(null=True)

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
            models.Index(fields=["requester", "id"], condition=Q(disposed_at=None), name="hit_of_requester"),
            models.Index(fields=["created_at"], name="hit_by_time"),
            models.Index(
                fields=["requester", "id"],
                condition=Q(closed_at__isnull=False, pending=0, disposed_at=None),
                name="hit_reviewable",
            ),
            # Free places are no part of the condition: open HITs without any are being worked on, and few.
            models.Index(fields=["hit_type", "id"], condition=Q(closed_at=None), name="hit_open"),
            models.Index(fields=["expires_at"], condition=Q(closed_at=None), name="hit_to_expire"),
            models.Index(
                fields=["closed_at"],
                condition=Q(closed_at__isnull=False, disposed_at=None),
                name="hit_to_dispose",
            ),
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

    # States that hold the worker's place in the HIT: one at a time, and for good once submitted.
    HOLDING = (Status.ACCEPTED, Status.SUBMITTED, Status.APPROVED, Status.REJECTED)

    hit = models.ForeignKey(HIT, models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    # Not unique: the next acceptance of a returned place bears its id again, as in Amazon's service.
    external_id = models.CharField(max_length=64, db_index=True, default=domain.new_id)
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
            models.UniqueConstraint(
                fields=["external_id"],
                condition=Q(status__in=("Accepted", "Submitted", "Approved", "Rejected")),
                name="assignment_id_held_once",
            ),
        ]
        indexes = [
            models.Index(fields=["deadline_at"], condition=Q(status="Accepted"), name="work_overdue"),
            models.Index(
                fields=["auto_approval_at"], condition=Q(status="Submitted"), name="work_to_approve"
            ),
            models.Index(fields=["worker", "-id"], name="work_of_worker"),
            models.Index(fields=["hit", "id"], name="work_of_hit"),
        ]

    def __str__(self) -> str:
        return self.external_id


class RequestToken(models.Model):
    """A UniqueRequestToken and the id of the object made under it, remembered for 24 hours."""

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


class Upload(models.Model):
    """A file that a worker submitted with a QuestionForm."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="uploads")
    question = models.CharField(max_length=128)
    name = models.CharField(max_length=128)
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "question"], name="upload_once_per_question"),
        ]

    def __str__(self) -> str:
        return self.name


class PolicyOutcome(models.Model):
    """One result that a review policy found, one action that it took, or why a HIT was taken down."""

    class Level(models.TextChoices):
        ASSIGNMENT = "Assignment"
        HIT = "HIT"

    hit = models.ForeignKey(HIT, models.CASCADE, related_name="policy_outcomes")
    level = models.CharField(max_length=16, choices=Level)
    is_action = models.BooleanField(default=False)
    external_id = models.CharField(max_length=64, default=domain.new_id)
    subject_id = models.CharField(max_length=64)
    subject_type = models.CharField(max_length=16)
    question = models.CharField(max_length=128, blank=True)
    key = models.CharField(max_length=64, help_text="Key of the result, or name of the action.")
    value = models.TextField(blank=True, help_text="The result's value, or the action's status.")
    note = models.TextField(blank=True, help_text="The action's result or error.")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["hit", "level", "id"], name="policy_outcome_of_hit")]

    def __str__(self) -> str:
        return f"{self.key} {self.value}"

"""Gates (tests that open work): the rules of each as data, every attempt, and what workers hold."""

from contextlib import suppress
from typing import Any, ClassVar
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from qualifications.domain.gate_rules import Bound, Floor, read, read_floors


def check_rules(data: Any) -> None:
    try:
        read(data)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_floors(data: Any) -> None:
    try:
        read_floors(data)
    except ValueError as error:
        raise ValidationError(str(error)) from error


class Gate(models.Model):
    """A test that a worker has to pass before some work of the study opens."""

    class Grading(models.TextChoices):
        SCORES = "scores", "By its scores, as soon as they are in"
        PERSON = "person", "By a person"
        PROVIDER = "provider", "By the provider: its own test with an answer key"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="gates")
    name = models.CharField(max_length=64, help_text="The name that workers see, such as “Solver test”.")
    description = models.CharField(
        max_length=500, blank=True, help_text="What the test is about, for workers, in a sentence or two."
    )
    grading = models.CharField(max_length=8, choices=Grading, default=Grading.SCORES)
    # The task whose batches in this study are attempts at this gate. Empty where the provider tests.
    test_task = models.CharField("test", max_length=32, blank=True)
    # The tasks of this study that it opens.
    opens: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # [{"measure": "jaccard", "above": 80}]: every one must hold of the mean over all of an attempt's items.
    rules: "models.JSONField[list[Any], list[Any]]" = models.JSONField(
        default=list, blank=True, validators=[check_rules]
    )
    # How many items must be scored before an attempt is graded.
    items = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    # [{"measure": "jaccard", "below": 60, "last": 20}]: work of an opened task that falls below revokes.
    floors: "models.JSONField[list[Any], list[Any]]" = models.JSONField(
        default=list, blank=True, validators=[check_floors]
    )
    retest_after_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="A worker may try again after this many days. Empty: one attempt only.",
    )
    # The provider's own test, in the Requester API's formats.
    question_form = models.TextField(blank=True)
    answer_key = models.TextField(blank=True)
    test_duration_s = models.PositiveIntegerField(default=1800, validators=[MinValueValidator(30)])
    passing_value = models.PositiveSmallIntegerField(
        default=80, help_text="The provider's test is passed above this."
    )
    is_active = models.BooleanField(default=True, help_text="Off: no worker is kept out by it or tested.")
    created_at = models.DateTimeField(auto_now_add=True)
    # How far the sweeps have come: the last assignment followed, and the last score checked against floors.
    # None: no score was checked yet, and earlier scores never are.
    followed_to = models.BigIntegerField(default=0, editable=False)
    # Nothing reads this field any more. The next release drops it; the previous release still writes it.
    regraded_to = models.BigIntegerField(default=0, editable=False)
    scores_to = models.BigIntegerField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="gate_name_once"),
            models.UniqueConstraint(
                fields=["study", "test_task"], condition=~Q(test_task=""), name="gate_test_once"
            ),
            models.CheckConstraint(
                condition=Q(grading="provider", test_task="") | (~Q(grading="provider") & ~Q(test_task="")),
                name="gate_has_a_test",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"

    @property
    def bounds(self) -> list[Bound]:
        """Bounds of the gate; empty where its rules cannot be read, and then a person grades."""
        with suppress(ValueError):
            return read(self.rules)
        return []

    @property
    def floor_bounds(self) -> list[Floor]:
        """Floors of the gate; empty where they cannot be read, so that no worker loses anything by them."""
        with suppress(ValueError):
            return read_floors(self.floors)
        return []


class Attempt(models.Model):
    """One try of a worker at a gate."""

    purge_path = "gate__study"

    class Status(models.TextChoices):
        STARTED = "started"
        WAITING = "waiting", "Submitted, not graded yet"
        PASSED = "passed"
        FAILED = "failed"
        GIVEN_UP = "given_up", "Given up before it was submitted"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.STARTED: {Status.WAITING, Status.GIVEN_UP, Status.PASSED, Status.FAILED},
        Status.WAITING: {Status.PASSED, Status.FAILED, Status.GIVEN_UP},
        # A score that changes, or a person who looks again, changes the grade.
        Status.PASSED: {Status.FAILED},
        Status.FAILED: {Status.PASSED},
        # The provider's evidence wins over our clock.
        Status.GIVEN_UP: {Status.WAITING},
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    gate = models.ForeignKey(Gate, models.PROTECT, related_name="attempts")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="attempts")
    # None: the provider tested.
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, related_name="attempt_at_gate")
    status = models.CharField(max_length=16, choices=Status, default=Status.STARTED)
    # What its scores came to when it was graded, as domain.gate_rules.Finding writes it.
    findings = models.JSONField(default=list)
    # A person's words to the worker.
    words = models.CharField(max_length=500, blank=True)
    graded_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    # Who has claimed it for grading until `claimed_until`, so that no colleague gets the same attempt.
    claimed_by = models.ForeignKey("hits.User", models.SET_NULL, null=True, related_name="+")
    claimed_until = models.DateTimeField(null=True)
    started_at = models.DateTimeField()
    handed_in_at = models.DateTimeField(null=True)
    graded_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("grade_attempt", "Can grade tests and give and revoke what they open")]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status__in=("passed", "failed")) | Q(graded_at__isnull=False),
                name="attempt_graded_has_a_moment",
            ),
            # However many tabs or HITs are open, a worker has at most one live attempt at a gate.
            models.UniqueConstraint(
                fields=["gate", "worker"],
                condition=Q(status__in=("started", "waiting")),
                name="attempt_one_at_a_time",
            ),
        ]
        indexes = [
            models.Index(fields=["gate", "worker", "-id"], name="attempt_latest"),
            models.Index(
                fields=["id"], condition=Q(status__in=("started", "waiting")), name="attempt_to_grade"
            ),
            models.Index(fields=["gate", "status"], name="attempt_by_status"),
            # The provider may still report that it was submitted.
            models.Index(
                fields=["started_at"],
                condition=Q(status="given_up", handed_in_at=None),
                name="attempt_may_return",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker} at {self.gate}"


class Holding(models.Model):
    """A worker's value at a gate, and what the provider was last told of it; a sweep tells it each change."""

    purge_path = "gate__study"

    class Value(models.IntegerChoices):
        """The value as the provider keeps it: work requires PASSED, and a test requires that none exists."""

        TRIED = 0, "Tried, and not passed"
        PASSED = 1

    gate = models.ForeignKey(Gate, models.PROTECT, related_name="holdings")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="holdings")
    # None: nothing, as if it had never been tried.
    value = models.PositiveSmallIntegerField(choices=Value, null=True)
    # Why the gate was revoked, in words for the worker.
    reason = models.CharField(max_length=500, blank=True)
    revoked_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField()
    # Who gave or revoked it by hand; a regraded test never undoes that.
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    # What the provider was last told. None: nothing.
    told = models.PositiveSmallIntegerField(null=True)
    is_told = models.BooleanField(default=False)
    # The provider's own value, as last told or read; a different one is a new result of its own test.
    value_there = models.IntegerField(null=True)
    claimed_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["gate", "worker"], name="holding_once"),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(is_told=False), name="holding_to_tell"),
            models.Index(fields=["gate", "value"], name="holding_by_value"),
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {self.gate}"

    @property
    def is_held(self) -> bool:
        return self.value == self.Value.PASSED


class PlatformType(models.Model):
    """A gate's qualification type at one provider. The row is the intent, as with HITs."""

    class Status(models.TextChoices):
        INTENDED = "intended"
        READY = "ready"
        REFUSED = "refused"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.READY, Status.REFUSED},
        Status.READY: {Status.INTENDED},
        Status.REFUSED: {Status.INTENDED},
    }

    gate = models.ForeignKey(Gate, models.PROTECT, related_name="platform_types")
    account = models.ForeignKey(Account, models.PROTECT, related_name="gate_types")
    # Part of the type's name at the provider: a type that was made but whose answer was lost is found by it.
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.INTENDED)
    external_id = models.CharField(max_length=64, blank=True)
    claimed_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=500, blank=True)
    # SHA-256 of the terms that the provider was last told; a gate with other terms is told again.
    digest = models.CharField(max_length=64, blank=True)
    # When the provider's lists were last read: results of its own test, and requests for the type.
    read_at = models.DateTimeField(null=True)
    read_again_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["gate", "account"], name="platform_type_once"),
            models.CheckConstraint(
                condition=~Q(status="ready") | ~Q(external_id=""), name="platform_type_ready_has_external_id"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="intended"), name="platform_type_to_make"),
        ]

    def __str__(self) -> str:
        return f"{self.gate} at {self.account}"


class RefusalCount(models.Model):
    """How often a study's pages refused workers on one day for one reason. No worker is recorded."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="refusal_counts")
    code = models.CharField(max_length=32)
    # In the study's time zone.
    day = models.DateField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "day", "code"], name="refusal_count_once"),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.count}"

import zoneinfo
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from hits import domain, families
from hits.models.accounts import Account


def default_bonus_rules() -> list[dict[str, Any]]:
    return [{"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.01"}]


def check_bonus_rules(data: Any) -> None:
    try:
        domain.read_bonus_rules(data)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_requirements(data: Any) -> None:
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise ValidationError("Requirements are a list of objects, as the Requester API takes them.")


def check_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"{name} is not a time zone. Use a name such as Europe/Berlin.")


def check_language(code: str) -> None:
    if code not in dict(settings.LANGUAGES):
        raise ValidationError(f"{code} is not a language code. Use a code such as en or de.")


class Study(models.Model):
    """A research question with its money: batches belong to it, and what is daily is daily in its zone."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=128, unique=True)
    lab = models.CharField(max_length=128)
    language = models.CharField(
        max_length=16, default="en", validators=[check_language], help_text="Of the workers' pages."
    )
    time_zone = models.CharField(max_length=64, default="UTC", validators=[check_time_zone])
    grant_code = models.CharField(max_length=64, blank=True)
    bonus_rules = models.JSONField(
        default=default_bonus_rules,
        blank=True,
        validators=[check_bonus_rules],
        help_text="A list of rules, each with name, measure (jaccard), at_least (per cent) and amount.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> list[domain.BonusRule]:
        return domain.read_bonus_rules(self.bonus_rules)


class Batch(models.Model):
    """HITs launched together on one account. Its terms never change once it has left DRAFT."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        LAUNCHING = "launching"
        PAUSED = "paused"
        PAUSED_FUNDS = "paused_funds", "Paused: out of funds"
        OPEN = "open"
        COMPLETE = "complete"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.DRAFT: {Status.LAUNCHING},
        Status.LAUNCHING: {Status.OPEN, Status.PAUSED, Status.PAUSED_FUNDS},
        Status.PAUSED: {Status.LAUNCHING},
        Status.PAUSED_FUNDS: {Status.LAUNCHING},
        Status.OPEN: {Status.COMPLETE},
        Status.COMPLETE: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="batches")
    account = models.ForeignKey(Account, models.PROTECT, related_name="batches")
    task = models.CharField(max_length=32, help_text="What the workers do.")
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward = models.DecimalField(
        max_digits=6, decimal_places=2, validators=[MinValueValidator(0)], help_text="Dollars."
    )
    hits_wanted = models.PositiveIntegerField("number of HITs", default=1, validators=[MinValueValidator(1)])
    assignments_per_hit = models.PositiveIntegerField(
        "assignments for each HIT",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(9)],
        help_text="Different workers for each HIT: 1 to 9 (from 10 on providers charge more).",
    )
    items_per_assignment = models.PositiveIntegerField(
        "items for each assignment", default=1, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    duration_s = models.PositiveIntegerField(
        "time for one assignment", default=900, validators=[MinValueValidator(30)], help_text="Seconds."
    )
    lifetime_s = models.PositiveIntegerField(
        "time the HITs stay open",
        default=7 * 86_400,
        validators=[MinValueValidator(30)],
        help_text="Seconds.",
    )
    auto_approval_s = models.PositiveIntegerField(
        "approved by itself after",
        default=3 * 86_400,
        validators=[MaxValueValidator(2_592_000)],
        help_text="Seconds.",
    )
    requirements = models.JSONField(
        default=list,
        blank=True,
        validators=[check_requirements],
        help_text="Qualification requirements as the Requester API takes them. Our own marketplace does not "
        "check them yet, and refuses HITs that have any.",
    )
    status = models.CharField(max_length=16, choices=Status, default=Status.DRAFT, editable=False)
    problem = models.TextField(blank=True, editable=False, help_text="Why it is paused.")
    launched_at = models.DateTimeField(null=True, editable=False)
    launched_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "batches"
        permissions = [("launch_batch", "Can launch a batch")]
        constraints = [
            models.CheckConstraint(condition=Q(reward__gte=0), name="batch_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(status="draft") | Q(launched_at__isnull=False),
                name="batch_launched_has_a_moment",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="launching"), name="batch_to_launch"),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.title}"

    @property
    def cost(self) -> domain.Cost:
        return domain.cost_of_batch(
            hits=self.hits_wanted,
            assignments_per_hit=self.assignments_per_hit,
            reward=self.reward,
            rules=self.study.rules,
            fees=self.account.fees,
        )

    def clean(self) -> None:
        if self.task and self.task not in families.registered():
            raise ValidationError({"task": f"There is no task {self.task}."})


class HIT(models.Model):
    """One task of a batch. Its row is the intent: it exists, with its token, before the provider is asked."""

    class Status(models.TextChoices):
        INTENDED = "intended"
        OPEN = "open"
        CLOSED = "closed"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.INTENDED: {Status.OPEN},
        Status.OPEN: {Status.CLOSED},
        Status.CLOSED: {Status.OPEN},
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hits")
    # Random, not derived from the row's number: a rebuilt database must never repeat a token.
    token = models.UUIDField(default=uuid4, unique=True, editable=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.INTENDED)
    external_id = models.CharField(max_length=64, blank=True)
    sent_at = models.DateTimeField(null=True)
    # When the provider was first asked: it remembers our token for a day, and not longer.
    asked_at = models.DateTimeField(null=True)
    # Who is sending it, so that two senders do not ask at once.
    claimed_at = models.DateTimeField(null=True)
    reconciled_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "HIT"
        constraints = [
            models.UniqueConstraint(
                fields=["external_id"], condition=~Q(external_id=""), name="hit_external_id_once"
            ),
            models.CheckConstraint(
                condition=Q(status="intended", external_id="") | (~Q(status="intended") & ~Q(external_id="")),
                name="hit_sent_has_external_id",
            ),
        ]
        indexes = [
            models.Index(fields=["batch", "id"], condition=Q(status="intended"), name="hit_to_send"),
            models.Index(fields=["id"], condition=Q(status="open"), name="hit_to_reconcile"),
        ]

    def __str__(self) -> str:
        return self.external_id or f"HIT {self.pk} (not sent)"

import zoneinfo
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from hits import families
from hits.common.currencies import CHOICES, DEFAULT
from hits.common.possible_bonus import add_bonus
from hits.core.domain import money, requirements
from hits.core.domain.bonus_rules import BonusRule
from hits.core.domain.bonus_tables import check_names, read_bonus_rules
from hits.families import entry_policies
from hits.providers.models.accounts import Account


def default_bonus_rules() -> list[dict[str, Any]]:
    """Return the table that studies had at first in version 0.1.0. Its migration names this function."""
    return [{"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.01"}]


def check_bonus_rules(data: Any) -> None:
    """Check a new bonus table. A launched batch's table is not checked: it is read as it was promised."""
    try:
        check_names(read_bonus_rules(data), known=families.known_measures())
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_requirements(data: Any) -> None:
    try:
        requirements.check(data)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"{name} is not a time zone. Use a name such as Europe/Berlin.")


def check_language(code: str) -> None:
    offered = dict(settings.LANGUAGES)
    if code not in offered:
        known = ", ".join(f"{one} ({name})" for one, name in offered.items())
        raise ValidationError(f"Workers' pages are not translated into {code}. Offered: {known}.")


# Fixed by a study's first launch: days, the workers' language, the payer and an amount would otherwise
# mean two things within one study.
FIXED_BY_LAUNCH = ("language", "time_zone", "grant_code", "currency")


class Study(models.Model):
    """A research question with its money. Batches belong to it, and its time zone defines what is daily."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=128, unique=True)
    lab = models.CharField(max_length=128)
    language = models.CharField(
        max_length=16, default="en", validators=[check_language], help_text="Language of the workers' pages."
    )
    time_zone = models.CharField(max_length=64, default="UTC", validators=[check_time_zone])
    grant_code = models.CharField(
        max_length=64,
        blank=True,
        help_text="Stands beside every cent in the books. Fixed by the first launch.",
    )
    bonus_rules = models.JSONField(
        default=list,
        blank=True,
        validators=[check_bonus_rules],
        help_text="A list of rules; docs/bonus-table.md shows each kind. A batch keeps the table that it was "
        "launched with.",
    )
    currency = models.CharField(
        max_length=3,
        choices=CHOICES,
        default=DEFAULT,
        db_default=DEFAULT,
        help_text="Of all its money: its batches take accounts of this currency alone. Fixed by the first "
        "launch.",
    )
    budget = models.DecimalField(
        max_digits=13,
        decimal_places=2,
        null=True,
        validators=[MinValueValidator(0)],
        help_text="For rewards, fees and bonuses. A launch that does not fit is refused.",
    )
    # The most that its batches have cost and can still cost. Only hits.batches.services.budgets writes it.
    reserved = models.DecimalField(max_digits=13, decimal_places=2, default=0, editable=False)
    wage_floor = models.DecimalField(
        max_digits=6,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="An hour. The launch page warns where a batch is expected to pay less.",
    )
    rejections_a_day = models.PositiveIntegerField(
        default=10,
        help_text="More than these, by one person on one day of the study's time zone, wait for a second "
        "person.",
    )
    large_bonus = models.DecimalField(
        max_digits=6,
        decimal_places=2,
        default=5,
        validators=[MinValueValidator(0)],
        help_text="A bonus above this is marked in a run.",
    )
    many_bonuses = models.PositiveIntegerField(
        default=20, help_text="More bonuses than these for one worker are marked in a run."
    )
    large_run = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        default=100,
        validators=[MinValueValidator(0)],
        help_text="Nobody who made or launched one of its batches approves a run above this amount.",
    )
    members = models.ManyToManyField(
        "hits.User",
        blank=True,
        related_name="studies",
        help_text="People who see the study and its batches, beside those who may see all.",
    )
    own_people = models.BooleanField(
        "people of my own",
        default=False,
        db_default=False,
        help_text="Ask new drafts on a marketplace of one's own for no country and no record of approved "
        "work, which new people do not have.",
    )
    personal_data_until = models.DateField(
        "personal data are kept until",
        null=True,
        blank=True,
        help_text="The last day on which they may be kept, as workers were told. Empty: no date.",
    )
    purges_by_itself = models.BooleanField(
        "purge by itself after that day",
        default=False,
        db_default=False,
        help_text="Otherwise somebody who may do so starts the purge.",
    )
    # Since then no work starts here: the people of the study are nobody's any more.
    purged_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"
        permissions = [("see_all_studies", "Can see every study, a member or not")]

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> list[BonusRule]:
        return read_bonus_rules(self.bonus_rules)

    @property
    def budget_left(self) -> Decimal | None:
        return None if self.budget is None else self.budget - self.reserved


class StartingTerms(models.Model):
    """Terms of one task that a study's new drafts start with, where they differ from the task's own.

    Drafts and batches that exist keep theirs.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="starting_terms")
    task = models.CharField(max_length=32)
    # None: as the task has it.
    reward = models.DecimalField(max_digits=6, decimal_places=2, null=True, validators=[MinValueValidator(0)])
    workers_per_hit = models.PositiveIntegerField(
        null=True, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    items_each = models.PositiveIntegerField(
        null=True, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    duration_s = models.PositiveIntegerField(null=True, validators=[MinValueValidator(30)])
    requirements = models.JSONField(default=list, blank=True, validators=[check_requirements])
    english_speakers = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "starting terms"
        constraints = [
            models.UniqueConstraint(fields=["study", "task"], name="starting_terms_once"),
            models.CheckConstraint(
                condition=Q(reward=None) | Q(reward__gte=0), name="starting_terms_reward_not_negative"
            ),
            models.CheckConstraint(
                condition=(Q(workers_per_hit=None) | Q(workers_per_hit__gte=1))
                & (Q(items_each=None) | Q(items_each__gte=1)),
                name="starting_terms_ask_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.task}"


class Batch(models.Model):
    """A set of HITs launched together on one account. Its terms never change once it has left DRAFT."""

    study_path = "study"

    class Status(models.TextChoices):
        DRAFT = "draft"
        LAUNCHING = "launching"
        PAUSED = "paused"
        PAUSED_FUNDS = "paused_funds", "Paused: out of funds"
        OPEN = "open"
        DRAINING = "draining", "Draining: no new work starts"
        COMPLETE = "complete"
        CANCELLED = "cancelled"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.DRAFT: {Status.LAUNCHING, Status.CANCELLED},
        Status.LAUNCHING: {Status.OPEN, Status.PAUSED, Status.PAUSED_FUNDS, Status.DRAINING},
        Status.PAUSED: {Status.LAUNCHING, Status.DRAINING},
        Status.PAUSED_FUNDS: {Status.LAUNCHING, Status.DRAINING},
        # A pilot's rest, more HITs, more time: an open batch launches again, and so does a complete one.
        Status.OPEN: {Status.LAUNCHING, Status.PAUSED, Status.DRAINING, Status.COMPLETE},
        Status.DRAINING: {Status.COMPLETE, Status.CANCELLED},
        Status.COMPLETE: {Status.LAUNCHING, Status.OPEN},
        Status.CANCELLED: set(),
    }

    class ItemsFrom(models.TextChoices):
        POOL = "pool", "The study's items that still need answers"
        FILE = "file", "A file of this batch's own"
        BATCH = "batch", "The items of another batch, asked again"

    class Sharding(models.TextChoices):
        SHARDS = "shards", "HITs of at most nine, each worker in one of them"
        WHOLE = "whole", "One HIT for all of them"

    class Review(models.TextChoices):
        AUTO = "auto", "Approved as soon as it is judged"
        HAND = "hand", "A person decides on each"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="batches")
    account = models.ForeignKey(Account, models.PROTECT, related_name="batches")
    task = models.CharField(max_length=32, help_text="What the workers do.")
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward = models.DecimalField(
        max_digits=6,
        decimal_places=2,
        validators=[MinValueValidator(0)],
        help_text="In the study's currency.",
    )
    items_from = models.CharField(max_length=8, choices=ItemsFrom, default=ItemsFrom.POOL)
    source_batch = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="repeated_by",
        help_text="The batch whose items are asked again, of other workers.",
    )
    hits_wanted = models.PositiveIntegerField(
        "number of HITs", default=1, validators=[MinValueValidator(1), MaxValueValidator(100_000)]
    )
    assignments_per_hit = models.PositiveIntegerField(
        "workers for each HIT",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Different workers for each. From 10 on providers charge more; see below.",
    )
    sharding = models.CharField(
        "ten workers and more",
        max_length=8,
        choices=Sharding,
        default=Sharding.SHARDS,
        help_text="A HIT of ten places or more costs a higher fee where the provider takes fees.",
    )
    pilot_hits = models.PositiveIntegerField(
        "pilot",
        default=0,
        help_text="This many HITs are sent first; the rest waits until you continue. 0: no pilot.",
    )
    estimated_s = models.PositiveIntegerField(
        "expected time for one assignment",
        default=60,
        validators=[MinValueValidator(1)],
        help_text="Seconds. Used to estimate the hourly wage until there are measured times.",
    )
    review_by = models.CharField(
        "review", max_length=8, choices=Review, default=Review.AUTO, help_text="Who decides on the work."
    )
    exclude_batches = models.ManyToManyField(
        "self",
        symmetrical=False,
        blank=True,
        related_name="excluded_from",
        help_text="Workers who took part in one of these may not take part in this one.",
    )
    repeat_group = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="A worker takes part in one batch only of those that share this name.",
    )
    items_per_assignment = models.PositiveIntegerField(
        "items for each assignment", default=1, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    attention_rate = models.PositiveSmallIntegerField(
        "attention items",
        default=0,
        db_default=0,
        validators=[MaxValueValidator(50)],
        help_text="This many of a hundred places on workers' pages are for attention items, whose answers "
        "are known and count nowhere. They are paid as the others are: pages stay as long, and the suggested "
        "number of HITs grows. 0: none; 50 at most.",
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
        help_text="Qualification requirements as the Requester API takes them.",
    )
    english_speakers = models.BooleanField(
        "only English speakers",
        default=False,
        db_default=False,
        help_text="Each worker is asked once whether they speak English, before the first task that needs "
        "it. Providers know only the country.",
    )
    status = models.CharField(max_length=16, choices=Status, default=Status.DRAFT, editable=False)
    problem = models.TextField(blank=True, editable=False, help_text="Why it is paused.")
    launched_at = models.DateTimeField(null=True, editable=False)
    launched_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+", editable=False)
    pilot_released_at = models.DateTimeField(null=True, editable=False)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    # Promises at launch that other rows hold: the bonus table, the fee schedule, the exclusions.
    terms = models.JSONField(null=True, editable=False)
    hit_type_id = models.CharField(max_length=64, blank=True, editable=False)
    # When the provider was told where to send the events of this HIT type.
    notified_at = models.DateTimeField(null=True, editable=False)
    # The most that it has cost and can still cost. Only hits.batches.services.budgets writes it.
    reserved = models.DecimalField(max_digits=13, decimal_places=2, default=0, editable=False)
    # Counted by hits.batches whenever anything of the batch has changed; lists show these.
    figures = models.JSONField(default=dict, editable=False)
    is_stale = models.BooleanField(default=False, editable=False)
    # Number of times it was marked: a batch that is marked again while it is counted stays marked.
    marks = models.PositiveBigIntegerField(default=0, editable=False)
    created_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "batches"
        permissions = [
            ("launch_batch", "Can launch a batch"),
            ("launch_production", "Can launch a batch for real money"),
            ("steer_batch", "Can pause, resume, extend, top up, drain and cancel a launched batch"),
            ("export_batch", "Can export a batch's work under pseudonyms"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(reward__gte=0), name="batch_reward_not_negative"),
            models.CheckConstraint(
                condition=Q(status__in=("draft", "cancelled")) | Q(launched_at__isnull=False),
                name="batch_launched_has_a_moment",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="launching"), name="batch_to_launch"),
            models.Index(fields=["id"], condition=Q(is_stale=True), name="batch_to_count"),
            models.Index(
                fields=["status", "id"],
                condition=Q(status__in=("paused", "open", "draining")),
                name="batch_running",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.title}"

    @property
    def is_launched(self) -> bool:
        return self.launched_at is not None

    @property
    def currency(self) -> str:
        """Currency of all its money: the study's, which a launch holds against that of the account."""
        return self.study.currency

    @property
    def rules(self) -> list[BonusRule]:
        return read_bonus_rules(self.bonus_table)

    @property
    def rules_that_apply(self) -> list[BonusRule]:
        """Rules that this task's scores can meet: no money is reserved for the others."""
        task = families.registered().get(self.task)
        measures = set(task.measures) if task else set()
        return [rule for rule in self.rules if measures.issuperset(rule.measures)]

    @property
    def bonus_table(self) -> list[dict[str, Any]]:
        """Bonus table that the batch was launched with; before the launch, the study's.

        A batch that only the system launches has none, and a test pays its reward alone.
        """
        if self.terms is not None:
            launched_with: list[dict[str, Any]] = self.terms["bonus_rules"]
            return launched_with
        earns = families.is_offered(self.task) and not families.is_test(self.task)
        return self.study.bonus_rules if earns else []

    @property
    def all_requirements(self) -> Sequence[Mapping[str, Any]]:
        """Requirements of the batch and every entry policy: as launched; before that, as they are now."""
        if self.terms is not None and "requirements" in self.terms:
            launched_with: list[Mapping[str, Any]] = self.terms["requirements"]
            return launched_with
        return entry_policies.ask(self).requirements

    @property
    def prices(self) -> money.Prices:
        schedule = self.account.fee_schedule if self.terms is None else self.terms["fee_schedule"]
        task = families.registered().get(self.task)
        return money.Prices(
            reward=self.reward,
            rules=self.rules_that_apply,
            fees=money.FEES[schedule],
            masters=requirements.wants_masters(self.requirements),
            items=self.items_per_assignment * (task.scored_per_item if task else 1),
        )

    @property
    def told_description(self) -> str:
        """The description with the possible bonus as launched: the HITs of a batch are of one type."""
        most = Decimal((self.terms or {}).get("most_bonus", 0))
        return add_bonus(self.description, most=most, currency=self.currency)

    @property
    def approves_after_s(self) -> int:
        """Seconds after which work approves by itself: the batch's, unless the provider has its own."""
        days = self.account.can.approves_after_days
        return self.auto_approval_s if days is None else days * 86_400

    @property
    def sizes(self) -> list[int]:
        """Numbers of places of the HITs that one task is split into."""
        if self.sharding == self.Sharding.SHARDS:
            return money.shards(self.assignments_per_hit)
        return [self.assignments_per_hit]

    @property
    def cost(self) -> money.Cost:
        return money.cost_of(self.sizes * self.hits_wanted, prices=self.prices)

    def clean(self) -> None:
        if self.task and self.task not in families.registered():
            raise ValidationError({"task": f"There is no task {self.task}."})

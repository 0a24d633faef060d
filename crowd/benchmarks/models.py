from typing import Any, ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from crowd.releases.models import Release
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import RegisteredRival
from scoring.models.model_facts import ModelFacts


class Benchmark(models.Model):
    """One task on the items of one release, on which models stand beside people."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="benchmarks")
    # The key of the task within the release's family.
    task = models.CharField(max_length=32)
    made_at = models.DateTimeField()
    # The sentence model that compares answers with the right ones, and the smallest cosine that is a match.
    matcher = models.ForeignKey(RegisteredRival, models.PROTECT, null=True, related_name="+")
    matches_from = models.FloatField(null=True)
    # The sums over the items that are in the subset of every model, by the result's number, and whose they
    # are: {"of": [[number, answered]], "sums": {number: [...]}}.
    shared: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "task"], name="benchmark_once_per_release_and_task"),
            models.CheckConstraint(
                condition=Q(matcher=None, matches_from=None)
                | Q(matcher__isnull=False, matches_from__isnull=False),
                name="benchmark_matcher_has_a_threshold",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task} on {self.release}"


class Result(ModelFacts):
    """The answers of one model, or of people or chance, to a benchmark. Its items are never asked twice.

    The rows are the queue: a sweep asks a registered model slice by slice, and goes on where it was stopped.
    """

    class Source(models.TextChoices):
        ASKED = "asked", "Asked here"
        UPLOADED = "uploaded", "From a file"
        OUTSIDE = "outside", "Submitted from outside"
        PEOPLE = "people", "People"
        CHANCE = "chance", "Chance"
        TRAINED = "trained", "Trained here"
        # Not an answer to the task: what a model says of the items, with which answers are correlated.
        READ = "read", "Reads the items"

    class Status(models.TextChoices):
        OPEN = "open", "Being answered"
        DONE = "done", "Complete"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPEN: {Status.DONE},
        Status.DONE: {Status.OPEN},  # what failed is asked again
    }
    OF_MODELS = (Source.ASKED, Source.UPLOADED, Source.TRAINED, Source.OUTSIDE)

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="results")
    name = models.CharField(max_length=64)
    source = models.CharField(max_length=8, choices=Source, default=Source.UPLOADED)
    about = models.CharField(max_length=500, blank=True)
    # The model that is asked; None where nobody asks.
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, null=True, related_name="+")
    # The model whose words it reads in the place of pictures; None: pictures, or the captions they have.
    captioner = models.ForeignKey(RegisteredRival, models.PROTECT, null=True, related_name="+")
    # The run that trained the model, if one did.
    run = models.OneToOneField("TrainingRun", models.CASCADE, null=True, related_name="result")
    status = models.CharField(max_length=8, choices=Status, default=Status.DONE)
    # Whether it stands in the tables. A submission from outside does once a researcher agrees.
    is_listed = models.BooleanField(default=True)
    # The byte of the frozen rows up to which the model was asked.
    cursor = models.BigIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    waiting = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=500, blank=True)
    # Whether the benchmark's matcher still has to compare its answers, and the byte up to which it did.
    to_match = models.BooleanField(default=False)
    match_cursor = models.BigIntegerField(default=0)
    # Model, weights, preprocessing, device and code; of a file, its SHA-256.
    provenance = models.JSONField(default=dict)
    # Sums of scores, from which tables are made: [{"group", "value", "measure", "items", "sum"}].
    sums: "models.JSONField[list[dict[str, object]], list[dict[str, object]]]" = models.JSONField(
        default=list
    )
    # Whether its correlations are counted.
    is_related = models.BooleanField(default=False)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                "benchmark",
                Lower("name"),
                condition=Q(is_listed=True),
                name="benchmark_result_once_per_name",
            ),
            models.CheckConstraint(
                condition=Q(source__in=["asked", "read"], rival__isnull=False)
                | (~Q(source__in=["asked", "read"]) & Q(rival=None)),
                name="benchmark_result_asked_has_a_model",
            ),
            models.CheckConstraint(
                condition=Q(captioner=None) | Q(source="asked"),
                name="benchmark_result_of_captions_is_asked",
            ),
            models.CheckConstraint(
                condition=Q(source="trained", run__isnull=False) | (~Q(source="trained") & Q(run=None)),
                name="benchmark_result_trained_has_a_run",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(status="open"), name="benchmark_result_open"),
            models.Index(
                fields=["id"], condition=Q(status="done", is_related=False), name="benchmark_result_unrelated"
            ),
            models.Index(fields=["id"], condition=Q(to_match=True), name="benchmark_result_to_match"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model: stated with an upload, or kept with a registered model."""
        return self.rival or self

    @property
    def is_of_model(self) -> bool:
        return self.source in self.OF_MODELS

    @property
    def is_removable(self) -> bool:
        """Whether a colleague may remove it by itself: a trained model goes with its training."""
        return self.source in (self.Source.ASKED, self.Source.UPLOADED, self.Source.READ)

    @property
    def has_answers(self) -> bool:
        """Whether a model's single answers are here; of some that came early only the sums are."""
        return self.is_of_model and self.items.exists()


class ItemResult(models.Model):
    """The answer to one item, with its scores as fractions."""

    result = models.ForeignKey(Result, models.CASCADE, related_name="items")
    item = models.CharField(max_length=120)
    is_hidden = models.BooleanField(default=False)
    answer: Any = models.JSONField(null=True)
    scores: "models.JSONField[dict[str, str], dict[str, str]]" = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["result", "item"], name="benchmark_item_once")]

    def __str__(self) -> str:
        return self.item


class Correlation(models.Model):
    """Pearson's r of a result's answers with something about the items, and its probability by chance."""

    result = models.ForeignKey(Result, models.CASCADE, related_name="correlations")
    # The key of the task's relation.
    relation = models.CharField(max_length=32)
    # What a model says of the items; None where the relation needs no model.
    reading = models.ForeignKey(Result, models.CASCADE, null=True, related_name="+")
    # Nothing is known where the numbers of one side are all alike.
    pairs = models.PositiveIntegerField(default=0)
    r = models.FloatField(null=True)
    p = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["result", "relation", "reading"],
                condition=Q(reading__isnull=False),
                name="correlation_once_per_reading",
            ),
            models.UniqueConstraint(
                fields=["result", "relation"], condition=Q(reading=None), name="correlation_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} of {self.result}"


class EarlierAnswers(models.Model):
    """A model's answers that were uploaded before there were benchmarks, by the items of a study.

    Each benchmark of the task in this study gets them as a result, once.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="+")
    family = models.CharField(max_length=32)
    task = models.CharField(max_length=32)
    name = models.CharField(max_length=64)
    about = models.CharField(max_length=500, blank=True)
    # Answers by the names of their items.
    answers: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    # Those that have them already.
    benchmarks = models.ManyToManyField(Benchmark, related_name="+")

    class Meta:
        verbose_name_plural = "earlier answers"

    def __str__(self) -> str:
        return self.name


class Training(models.Model):
    """A registered model that is trained on a benchmark's items, once with each of its seeds.

    The rows are the queue: a sweep trains seed by seed. A run that was cut off is begun again.
    """

    class Status(models.TextChoices):
        OPEN = "open", "Being trained"
        DONE = "done", "Complete"
        STOPPED = "stopped", "Stopped"
        FAILED = "failed", "Failed"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.OPEN: {Status.DONE, Status.STOPPED, Status.FAILED},
        Status.DONE: set(),
        Status.STOPPED: {Status.OPEN},
        Status.FAILED: {Status.OPEN},  # a person has corrected what was wrong
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="trainings")
    # The key of the recipe within the benchmark's task.
    recipe = models.CharField(max_length=32)
    # The model that it begins with.
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    settings: "models.JSONField[dict[str, float], dict[str, float]]" = models.JSONField(default=dict)
    # The number of runs, whose seeds are 1, 2 and so on.
    seeds = models.PositiveSmallIntegerField()
    about = models.CharField(max_length=500, blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    problem = models.CharField(max_length=500, blank=True)
    # How far the run is that is being made; empty words where there is none.
    doing = models.CharField(max_length=64, blank=True)
    steps_done = models.PositiveIntegerField(default=0)
    steps_all = models.PositiveIntegerField(default=0)
    # The process that makes the run, and until when no other begins it again.
    token = models.UUIDField(null=True, editable=False)
    held_until = models.DateTimeField(null=True, editable=False)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(condition=Q(seeds__gt=0), name="training_has_a_seed"),
            models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(problem=""), name="training_failed_says_why"
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(status="open"), name="training_open")]

    def __str__(self) -> str:
        return f"{self.rival}, training {self.pk}"


class TrainingRun(models.Model):
    """One complete run of a training, with what it was measured at. Its last answers are a result."""

    training = models.ForeignKey(Training, models.CASCADE, related_name="runs")
    seed = models.PositiveSmallIntegerField()
    # What the model has learned from, in numbers.
    counts: "models.JSONField[dict[str, int], dict[str, int]]" = models.JSONField(default=dict)
    # [{"epoch", "means": {test: {"items", "sum"}}}]; epoch 0 is the untrained model on the same items.
    points: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(default=list)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("training", "seed")
        constraints = [
            models.UniqueConstraint(fields=["training", "seed"], name="training_run_once_per_seed")
        ]

    def __str__(self) -> str:
        return f"Seed {self.seed}"

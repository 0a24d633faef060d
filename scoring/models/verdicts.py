from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models.rivals import RegisteredRival


class RivalQuery(models.Model):
    """A question to rivals: a text, pictures in the order shown, and what its author chose.

    It is stored before any rival is asked, so there is one chance for each cue of an attempt.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="rival_queries")
    # The attempt it belongs to, and which cue of it. None: no worker made it.
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="rival_queries")
    slot = models.PositiveSmallIntegerField(default=1)
    # The item that people solve, once a family has made one of it.
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="rival_query")
    text = models.CharField(max_length=100)
    # [{"sha256": ..., "caption": ...}], as they were at that moment.
    pictures = models.JSONField()
    size = models.PositiveSmallIntegerField()
    # Places in that list.
    chosen = models.JSONField()
    # The rival on whose verdict bonuses are paid, whatever the study's setting becomes.
    paid_on = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    _verdict: "Verdict | None" = None

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "slot"],
                condition=Q(assignment__isnull=False),
                name="rival_query_once_per_attempt_and_slot",
            )
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def k(self) -> int:
        return len(self.chosen)

    @property
    def verdict(self) -> "Verdict | None":
        """The verdict that counts (of the rival paid on), once there is one. It never changes."""
        if self._verdict is None:
            self._verdict = Verdict.objects.filter(rival_query=self, rival=self.paid_on_id).first()
        return self._verdict

    def take_verdict(self, verdict: "Verdict") -> None:
        """Remember the verdict that counts, which was stored just now: nobody has to read it again."""
        self._verdict = verdict


class PendingQuery(models.Model):
    """A query that a rival has not answered yet. The rows are the queue; an answered one is deleted."""

    rival_query = models.ForeignKey(RivalQuery, models.CASCADE, related_name="pending_queries")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="pending_queries")
    # A worker waits for it, so it comes before all rescoring.
    is_urgent = models.BooleanField()
    asked_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    try_at = models.DateTimeField()
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rival_query", "rival"], name="asking_once_per_rival")]
        indexes = [models.Index(fields=["is_urgent", "try_at"], name="asking_in_turn")]

    def __str__(self) -> str:
        return f"{self.rival} about {self.rival_query}"


class Verdict(models.Model):
    """A rival's answer, with everything needed to reproduce it. Append-only in the database."""

    append_only = True

    rival_query = models.ForeignKey(RivalQuery, models.PROTECT, related_name="verdicts")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="verdicts")
    model = models.CharField(max_length=200)
    weights_sha256 = models.CharField(max_length=64)
    prompt = models.CharField(max_length=500)
    preprocessing = models.JSONField()
    # SHA-256 of the candidates in the order shown; `scores` and `places` follow it.
    candidates = models.JSONField()
    scores = models.JSONField()
    places = models.JSONField()
    # The model's Jaccard index with what the author chose, in whole percent.
    model_score = models.PositiveSmallIntegerField()
    latency_ms = models.PositiveIntegerField("milliseconds from the question to the answer")
    code_version = models.CharField(max_length=64)
    device = models.CharField(max_length=100)
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rival_query", "rival"], name="verdict_once_per_rival"),
            models.CheckConstraint(condition=Q(model_score__lte=100), name="verdict_score_per_cent"),
        ]

    def __str__(self) -> str:
        return f"{self.rival}: {self.model_score} %"

    @property
    def fool_score(self) -> int:
        return 100 - self.model_score

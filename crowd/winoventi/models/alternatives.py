from hashlib import sha256
from typing import Any

from django.db import models
from django.db.models import F, Q

from crowd.winoventi.domain.prompts import statement
from crowd.winoventi.models.generics import Generic
from crowd.winoventi.models.projects import PieceScoring, Project
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import RegisteredRival


def triplet_key(noun: str, generic: str, alternative: str) -> str:
    """A digest of the three words, the same whatever row of the nouns they come from."""
    return sha256(f"{noun}\n{generic}\n{alternative}".encode()).hexdigest()[:32]


class Alternative(models.Model):
    """The exception, as one worker gave it: what holds of a noun if the generic does not.

    Its state follows from facts, and only crowd.winoventi.services.pair_states writes it.
    """

    purge_path = "project__study"

    class State(models.TextChoices):
        GIVEN = "given"
        REPEATED = "repeated", "Given before for the same words"
        FILTERED = "filtered", "The model does not favor the generic"
        PASSED = "passed", "Passed the filter"
        WITHDRAWN = "withdrawn", "The answer it came from does not count"

    # States of the one row that represents its triplet; others with the same words are repetitions.
    STANDING = (State.GIVEN, State.FILTERED, State.PASSED)

    project = models.ForeignKey(Project, models.CASCADE, related_name="alternatives")
    generic = models.ForeignKey(Generic, models.CASCADE, related_name="alternatives")
    word = models.CharField(max_length=64)
    # Place among the words of its answer.
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=32, editable=False)
    state = models.CharField(max_length=16, choices=State, default=State.GIVEN)
    reason = models.CharField(max_length=200, blank=True)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")
    # The item that asks for the premise.
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="alternative")
    has_premise = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["generic", "word", "worker"], name="winoventi_alternative_once"),
            models.UniqueConstraint(
                fields=["project", "key"],
                condition=Q(state__in=("given", "filtered", "passed")),
                name="winoventi_alternative_one_for_its_words",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "id"], name="winoventi_alternative_by_state"),
            models.Index(fields=["project", "key"], name="winoventi_alternative_by_key"),
            models.Index(
                fields=["project", "id"],
                condition=Q(state="passed", has_premise=False),
                name="winoventi_alternative_lacking",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.generic} / {self.word}"

    @property
    def noun(self) -> str:
        return self.generic.noun.word

    @property
    def statement(self) -> str:
        return statement(self.noun, self.word)


class FilterScore(models.Model):
    """One model's probabilities of the two words of a triplet, in one of the two ways of scoring."""

    alternative = models.ForeignKey(Alternative, models.CASCADE, related_name="scores")
    # None: the score was recorded elsewhere.
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, null=True, related_name="+")
    way = models.CharField(max_length=16, choices=PieceScoring)
    p_generic = models.FloatField()
    p_exception = models.FloatField()
    # How many pieces the model makes of each word. None: nobody knows.
    pieces_generic = models.PositiveSmallIntegerField(null=True)
    pieces_exception = models.PositiveSmallIntegerField(null=True)
    # Strictly likelier: a tie is filtered.
    passes = models.BooleanField()
    provenance: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    scored_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["alternative", "rival", "way"], name="winoventi_filter_score_once"
            ),
            models.UniqueConstraint(
                fields=["alternative", "way"],
                condition=Q(rival=None),
                name="winoventi_filter_score_recorded_once",
            ),
            models.CheckConstraint(
                condition=Q(passes=True, p_generic__gt=F("p_exception"))
                | Q(passes=False, p_generic__lte=F("p_exception")),
                name="winoventi_filter_score_passes_strictly",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.alternative}: {self.p_generic} > {self.p_exception}"

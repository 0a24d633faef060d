from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from crowd.winoventi.domain.prompts import TEXTS, Template, statement
from crowd.winoventi.models.projects import Project
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import RegisteredRival


class Noun(models.Model):
    """One row of the project's list. Homonyms are rows of their own: the row counts, not the word."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="nouns")
    number = models.PositiveIntegerField()
    word = models.CharField(max_length=64)

    class Meta:
        ordering = ("number",)
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="winoventi_noun_once")]
        indexes = [models.Index(fields=["project", "word"], name="winoventi_noun_by_word")]

    def __str__(self) -> str:
        return self.word


class Reading(models.Model):
    """Words that a model puts into one template: everything of step 1 follows from these."""

    noun = models.ForeignKey(Noun, models.CASCADE, related_name="readings")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    template = models.CharField(max_length=16, choices=[(one.value, TEXTS[one]) for one in Template])
    # [["edible", 0.21], ...]: the likeliest first, as many as the largest k.
    words: "models.JSONField[list[list[Any]], list[list[Any]]]" = models.JSONField()
    provenance: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    read_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["noun", "rival", "template"], name="winoventi_reading_once")
        ]

    def __str__(self) -> str:
        return f"{self.rival} of {self.noun}: {self.template}"


class Generic(models.Model):
    """A word that the model ties to a noun. Once posted, a worker says what holds if the generic does not."""

    purge_path = "project__study"

    class State(models.TextChoices):
        FOUND = "found"
        STOPPED = "stopped", "On the stop list"
        CUT = "cut", "Cut by its perplexity"
        POSTED = "posted"
        NONSENSE = "nonsense", "The statement makes no sense"
        ANSWERED = "answered"

    TRANSITIONS: ClassVar[dict[State, set[State]]] = {
        State.FOUND: {State.STOPPED, State.CUT, State.POSTED},
        State.STOPPED: {State.FOUND},
        State.CUT: {State.FOUND},
        State.POSTED: {State.NONSENSE, State.ANSWERED},
        # Posted again when the answer is taken out of the data.
        State.NONSENSE: {State.POSTED},
        State.ANSWERED: {State.POSTED},
    }
    TAKEN = (State.NONSENSE, State.ANSWERED)
    POSTED_ONES = (State.POSTED, *TAKEN)

    project = models.ForeignKey(Project, models.CASCADE, related_name="generics")
    noun = models.ForeignKey(Noun, models.CASCADE, related_name="generics")
    word = models.CharField(max_length=64)
    # The smallest k that finds the generic.
    k = models.PositiveSmallIntegerField()
    # Place by perplexity among the generics of its k.
    rank = models.PositiveIntegerField(null=True)
    perplexity = models.FloatField(null=True)
    state = models.CharField(max_length=16, choices=State, default=State.FOUND)
    # Why the generic goes no further, in words.
    reason = models.CharField(max_length=200, blank=True)
    # The item that asks workers; recorded work has none, as it was asked elsewhere.
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="generic")
    # The worker whose answer counts. A recording's worker has no assignment.
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["noun", "word"], name="winoventi_generic_once"),
            models.CheckConstraint(
                condition=(Q(state__in=("nonsense", "answered")) & Q(worker__isnull=False))
                | (~Q(state__in=("nonsense", "answered")) & Q(worker=None, assignment=None)),
                name="winoventi_generic_taken_has_worker",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("found", "stopped", "cut")) | Q(item=None),
                name="winoventi_generic_item_is_posted",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "id"], name="winoventi_generic_by_state"),
            models.Index(fields=["project", "k", "rank"], name="winoventi_generic_by_rank"),
        ]

    def __str__(self) -> str:
        return self.statement

    @property
    def statement(self) -> str:
        return statement(self.noun.word, self.word)

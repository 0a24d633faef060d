from django.db import models
from django.db.models import Q

from crowd.winoventi import domain
from crowd.winoventi.domain import premises
from crowd.winoventi.domain.outcomes import QUESTIONS, Question
from crowd.winoventi.domain.prompts import BLANK, challenge
from crowd.winoventi.models.alternatives import Alternative
from crowd.winoventi.models.projects import Project
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class Premise(models.Model):
    """A sentence in which one word decides whether generic or exception holds; with both words it is a pair.

    Its state follows from facts, and only crowd.winoventi.services.pair_states writes it.
    """

    purge_path = "project__study"

    class State(models.TextChoices):
        MALFORMED = "malformed", "Not available, or not one bracket with two words"
        WAITING = "waiting", "Waits for validation"
        VALID = "valid"
        FAILED = "failed", "Failed its validation"
        WITHDRAWN = "withdrawn", "Something it depends on does not count"

    WELL_FORMED = (State.WAITING, State.VALID, State.FAILED)
    # A recorded premise that was posted may be valid without one; its sentence has no special word.
    HAS_BRACKET = Q(sentence__contains="[")

    project = models.ForeignKey(Project, models.CASCADE, related_name="premises")
    alternative = models.ForeignKey(Alternative, models.CASCADE, related_name="premises")
    # With normal spaces and a final mark; the bracket as it was typed.
    sentence = models.CharField(max_length=1000)
    generic_word = models.CharField(max_length=200, blank=True)
    exception_word = models.CharField(max_length=200, blank=True)
    is_na = models.BooleanField(default=False)
    # Codes of what the worker was warned of (crowd.winoventi.domain.premises.Warning).
    warnings: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    # Codes: a fault of its form, or the questions it failed by, separated by commas.
    reason = models.CharField(max_length=200, blank=True)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")
    # Whether its author's answer counts; an alternative has one such premise.
    is_kept = models.BooleanField(default=True, editable=False)
    # True: its recording holds judgements of it, so it was posted there and is well-formed as it stands.
    was_posted = models.BooleanField(default=False, editable=False)
    # The item that asks for the validation.
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="premise")
    settled_at = models.DateTimeField(null=True, editable=False)
    # Whether people are asked about its prompts.
    is_prompted = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alternative", "worker"], name="winoventi_premise_once"),
            models.UniqueConstraint(
                fields=["alternative"],
                condition=Q(is_kept=True),
                name="winoventi_premise_one_for_its_triplet",
            ),
            models.CheckConstraint(
                condition=(Q(state__in=("valid", "failed")) & Q(settled_at__isnull=False))
                | (~Q(state__in=("valid", "failed")) & Q(settled_at=None)),
                name="winoventi_premise_settled_has_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(is_kept=True) | Q(state="withdrawn"), name="winoventi_premise_kept_or_withdrawn"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "id"], name="winoventi_premise_by_state"),
            models.Index(
                fields=["project", "id"],
                condition=Q(state="valid", is_prompted=False),
                name="winoventi_premise_to_prompt",
            ),
        ]

    def __str__(self) -> str:
        return self.sentence

    @property
    def text(self) -> premises.Premise:
        return premises.Premise(
            sentence=self.sentence, generic_word=self.generic_word, exception_word=self.exception_word
        )

    @property
    def noun(self) -> str:
        return self.alternative.noun

    @property
    def generic(self) -> str:
        """The outcome that the model favors."""
        return self.alternative.generic.word

    @property
    def exception(self) -> str:
        return self.alternative.word

    def outcomes(self, kind: str) -> tuple[str, str]:
        """The right outcome and the wrong one. Without a sentence, the generic is right."""
        both = (self.generic, self.exception)
        return both[::-1] if kind == domain.EXCEPTION else both

    def context(self, kind: str) -> str:
        """The sentence with the word that makes this kind of outcome true."""
        word = self.generic_word if kind == domain.GENERIC else self.exception_word
        return self.text.with_word(word)

    def prompt(self, kind: str, *, mask: str = BLANK) -> str:
        return challenge(self.context(kind), noun=self.noun, mask=mask)


class Judgement(models.Model):
    """One validator's answer that counts. Yes is bad on all four questions."""

    purge_path = "premise__project__study"

    premise = models.ForeignKey(Premise, models.CASCADE, related_name="judgements")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")
    generic_synonym = models.BooleanField()
    exception_synonym = models.BooleanField()
    exception_fits_generic = models.BooleanField()
    generic_fits_exception = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["premise", "worker"], name="winoventi_judgement_once")]

    def __str__(self) -> str:
        return f"{self.premise_id}: {', '.join(self.objections) or 'valid'}"

    @property
    def objections(self) -> list[Question]:
        return [question for question in QUESTIONS if getattr(self, question)]


class Prompt(models.Model):
    """One of the two prompts of a pair, as people are asked to complete it."""

    class Kind(models.TextChoices):
        GENERIC = domain.GENERIC
        EXCEPTION = domain.EXCEPTION

    premise = models.ForeignKey(Premise, models.CASCADE, related_name="prompts")
    kind = models.CharField(max_length=16, choices=Kind)
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="prompt")
    # Whether it has as many choices as the project needs.
    is_answered = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["premise", "kind"], name="winoventi_prompt_once")]
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(is_answered=False, item__isnull=False),
                name="winoventi_prompt_asked",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.premise}"

    @property
    def text(self) -> str:
        return self.premise.prompt(self.kind)

    @property
    def target(self) -> str:
        return self.premise.outcomes(self.kind)[0]

    @property
    def incorrect(self) -> str:
        return self.premise.outcomes(self.kind)[1]


class Choice(models.Model):
    """The word with which one person completed a prompt: human performance."""

    purge_path = "prompt__premise__project__study"

    prompt = models.ForeignKey(Prompt, models.CASCADE, related_name="choices")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")
    word = models.CharField(max_length=64)
    is_right = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prompt", "worker"], name="winoventi_choice_once")]

    def __str__(self) -> str:
        return f"{self.prompt_id}: {self.word}"

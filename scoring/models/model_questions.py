from typing import Any

from django.db import models
from django.db.models import Q

from scoring.models.rivals import RegisteredRival


class ModelQuestion(models.Model):
    """A question to a model, and its answer once there is one. Waiting rows are the queue.

    A repeated question gets the stored answer: a model says the same about the same input.
    """

    class Kind(models.TextChoices):
        TOP_WORDS = "top_words", "Best words"
        PROBABILITIES = "probabilities", "Probabilities of words"
        PERPLEXITIES = "perplexities", "Perplexity"
        PARTS = "parts", "Part of speech of a word"
        SCORES = "scores", "Scores of texts against pictures"
        WORDS = "words", "Words about a picture"
        LIKENESS = "likeness", "Likeness of texts and pictures"
        REGIONS = "regions", "Regions of a picture by the words of a text"
        CONTINUATIONS = "continuations", "Words after a text"
        QUESTIONS = "questions", "Questions that a text answers"

    class Status(models.TextChoices):
        WAITING = "waiting"
        ANSWERED = "answered"
        FAILED = "failed"

    TRANSITIONS = {
        Status.WAITING: {Status.ANSWERED, Status.FAILED},
        Status.ANSWERED: set(),
        Status.FAILED: {Status.WAITING},  # a person has corrected what was wrong
    }
    # The kinds of models that answer each kind of question.
    ANSWERED_BY = {
        Kind.TOP_WORDS: (RegisteredRival.Kind.MASKED,),
        Kind.PROBABILITIES: (RegisteredRival.Kind.MASKED,),
        Kind.PERPLEXITIES: (RegisteredRival.Kind.CAUSAL,),
        Kind.PARTS: (RegisteredRival.Kind.TAGGER,),
        Kind.SCORES: RegisteredRival.SCORE_PICTURES,
        Kind.WORDS: (RegisteredRival.Kind.SPEAKER,),
        Kind.LIKENESS: RegisteredRival.KEEP_VECTORS,
        Kind.REGIONS: (RegisteredRival.Kind.CROSS,),
        Kind.CONTINUATIONS: (RegisteredRival.Kind.CAUSAL,),
        Kind.QUESTIONS: (RegisteredRival.Kind.TAGGER,),
    }

    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="model_questions")
    kind = models.CharField(max_length=16, choices=Kind)
    input = models.JSONField()
    # SHA-256 of the kind and the input.
    key = models.CharField(max_length=64)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    try_at = models.DateTimeField()
    problem = models.CharField(max_length=500, blank=True)
    output: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    # Model, weights, preprocessing, device and code, as a verdict keeps them.
    provenance = models.JSONField(default=dict)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("retry_modelquestion", "Can have failed model questions answered again")]
        constraints = [
            models.UniqueConstraint(fields=["rival", "key"], name="model_question_once_per_rival"),
            models.CheckConstraint(
                condition=Q(status="answered", output__isnull=False, answered_at__isnull=False)
                | (~Q(status="answered") & Q(output__isnull=True, answered_at=None)),
                name="model_question_answered_has_an_output",
            ),
            models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(problem=""), name="model_question_failed_says_why"
            ),
        ]
        indexes = [models.Index(fields=["status", "try_at", "id"], name="model_question_in_turn")]

    def __str__(self) -> str:
        texts = self.input.get("texts") or [self.input.get("prompt") or self.input.get("text") or ""]
        return "; ".join(texts) or str(self.get_kind_display())

from typing import Any

from django.db import models
from django.db.models import Q

from crowd.winoventi.domain.evaluation import ASKED
from crowd.winoventi.models.premises import Premise
from crowd.winoventi.models.projects import PieceScoring, Project
from hits.identity.models.users import User
from scoring.models import RegisteredRival


class Evaluation(models.Model):
    """One model's results on a project's challenge set: registered models are asked, others are uploaded."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="evaluations")
    name = models.CharField(max_length=64)
    # None: the results were uploaded.
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, null=True, related_name="+")
    way = models.CharField("words of several pieces", max_length=16, choices=PieceScoring, blank=True)
    # Whether a registered model still has prompts to answer.
    is_open = models.BooleanField(default=False)
    waiting = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=500, blank=True)
    provenance: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(fields=["project", "name", "way"], name="winoventi_evaluation_once"),
            models.CheckConstraint(
                condition=Q(rival=None, way="", is_open=False) | (Q(rival__isnull=False) & ~Q(way="")),
                name="winoventi_evaluation_asks_registered_models",
            ),
        ]
        indexes = [models.Index(fields=["is_open", "id"], name="winoventi_evaluation_open")]

    def __str__(self) -> str:
        return self.name


class ModelAnswer(models.Model):
    """A model's answer to one prompt of a pair. An uploaded model may say only which word it takes."""

    KINDS = [(kind, kind) for kind in ASKED]

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="answers")
    premise = models.ForeignKey(Premise, models.CASCADE, related_name="model_answers")
    kind = models.CharField(max_length=16, choices=KINDS)
    p_target = models.FloatField(null=True)
    p_incorrect = models.FloatField(null=True)
    is_right = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "premise", "kind"], name="winoventi_model_answer_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.premise_id}: {'right' if self.is_right else 'wrong'}"


def valid_pairs(project: Project) -> "models.QuerySet[Premise]":
    """The current challenge set: the project's valid premises."""
    valid = project.premises.filter(state=Premise.State.VALID)
    return valid.select_related("alternative__generic__noun")

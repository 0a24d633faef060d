from django.conf import settings
from django.db import models

from crowd.winoground.models.examples import Pairing
from crowd.winoground.models.projects import Project


class ModelScores(models.Model):
    """One model's uploaded scores of captions with images."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="model_scores")
    name = models.CharField(max_length=120)
    about = models.CharField(max_length=500, blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "model scores"
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="winoground_scores_once")]

    def __str__(self) -> str:
        return self.name


class ModelScore(models.Model):
    scores = models.ForeignKey(ModelScores, models.CASCADE, related_name="rows")
    pairing = models.ForeignKey(Pairing, models.CASCADE, related_name="+")
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scores", "pairing"], name="winoground_score_once")]

    def __str__(self) -> str:
        return f"{self.value}"

from django.conf import settings
from django.db import models

from crowd.whoops.models.annotations import Annotation
from crowd.whoops.models.projects import Project


class MatchingScores(models.Model):
    """One model's uploaded scores of detailed and underspecified captions."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="matching_scores")
    name = models.CharField(max_length=120)
    about = models.CharField(max_length=500, blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "matching scores"
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="whoops_matching_once")]

    def __str__(self) -> str:
        return self.name


class MatchingRow(models.Model):
    scores = models.ForeignKey(MatchingScores, models.CASCADE, related_name="rows")
    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="+")
    detailed = models.FloatField()
    underspecified = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scores", "annotation"], name="whoops_matching_row_once")
        ]

    def __str__(self) -> str:
        return f"{self.detailed} against {self.underspecified}"

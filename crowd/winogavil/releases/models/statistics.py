from typing import Any

from django.db import models

from hits.studies.models import Study


class Statistics(models.Model):
    """The figures of a study as they were last counted. Only a cache: they can be counted again."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="+")
    # The sources, sorted and joined.
    sources = models.CharField(max_length=64, blank=True)
    # The selection threshold that they were counted with, in per cent; None: counted before there was one.
    selection_threshold = models.PositiveSmallIntegerField(null=True)
    # Fingerprint of the rows, which changes whenever something counts differently.
    mark = models.CharField(max_length=200)
    figures: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()
    counted_at = models.DateTimeField()
    took_ms = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "statistics"
        constraints = [models.UniqueConstraint(fields=["study", "sources"], name="statistics_once")]

    def __str__(self) -> str:
        return f"{self.study}: {self.sources or 'all'}"

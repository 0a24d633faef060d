from django.db import models
from django.db.models import Q

from crowd.winoventi.models.projects import Project
from scoring.models import RegisteredRival


class ModelRun(models.Model):
    """A project's questions to a model, opened by a click or by itself, until every answer has been taken."""

    class Purpose(models.TextChoices):
        READING = "reading", "Words that the model ties to the nouns"
        RANKING = "ranking", "Perplexity of the generics"
        FILTER = "filter", "Adversarial filter"
        TAGGING = "tagging", "Parts of speech of the special words"

    project = models.ForeignKey(Project, models.CASCADE, related_name="model_runs")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    purpose = models.CharField(max_length=8, choices=Purpose)
    is_open = models.BooleanField(default=True)
    # The newest noun that the model was asked about, once the model run is closed.
    upto = models.BigIntegerField(default=0)
    # Counts and problem of the last look.
    waiting = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    problem = models.CharField(max_length=500, blank=True)
    # A closed model run with unanswered rows: looks that found nothing new since, and the time of the next.
    looks = models.PositiveSmallIntegerField(default=0)
    look_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "model_runs"
        constraints = [
            models.UniqueConstraint(fields=["project", "rival", "purpose"], name="winoventi_model_run_once"),
            models.CheckConstraint(
                condition=Q(is_open=True, done_at=None) | Q(is_open=False, done_at__isnull=False),
                name="winoventi_model_run_open_or_done",
            ),
        ]
        indexes = [models.Index(fields=["is_open", "id"], name="winoventi_model_run_open")]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()}: {self.rival}"

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from hits.studies.models import Study


class Project(models.Model):
    """The caption matching of one study, and the rules for it."""

    class Apart(models.TextChoices):
        NEVER = "never", "never: each worker sees one combination of an example"
        GAP = "gap", "after a number of questions about other examples"

    study = models.OneToOneField(Study, models.CASCADE, related_name="winoground")
    answers_wanted = models.PositiveSmallIntegerField(
        "workers for each combination", default=10, validators=[MinValueValidator(1)]
    )
    apart = models.CharField(
        "a worker sees another combination of the same example",
        max_length=8,
        choices=Apart,
        default=Apart.NEVER,
    )
    least_gap = models.PositiveSmallIntegerField(
        "questions about other examples in between", default=20, validators=[MinValueValidator(1)]
    )

    class Meta:
        verbose_name = "caption matching"
        verbose_name_plural = "caption matching"
        constraints = [
            models.CheckConstraint(
                condition=Q(answers_wanted__gt=0, least_gap__gt=0), name="winoground_project_wants_answers"
            ),
        ]

    def __str__(self) -> str:
        return f"Caption matching of {self.study}"

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from hits.studies.models import Study

MOST_PEOPLE = 1000


class Project(models.Model):
    """A study's questions of its own, and how many people are asked about each row."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="plain")
    answers_wanted = models.PositiveSmallIntegerField(
        "different people for each row",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_PEOPLE)],
    )

    class Meta:
        verbose_name = "questions of one's own"
        verbose_name_plural = "questions of one's own"
        constraints = [
            models.CheckConstraint(
                condition=Q(answers_wanted__gt=0, answers_wanted__lte=MOST_PEOPLE),
                name="plain_project_wants_answers",
            ),
        ]

    def __str__(self) -> str:
        return f"Questions of {self.study}"

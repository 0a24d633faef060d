from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from hits.studies.models import Study
from scoring.quality.asking_bounds import Enough

MOST_PEOPLE = 1000


class Project(models.Model):
    """A study's questions of its own, and how many people are asked about each row."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="plain")
    answers_wanted = models.PositiveSmallIntegerField(
        "different people for each row",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_PEOPLE)],
    )
    # Empty: every row is asked of the same number of people.
    answers_most = models.PositiveSmallIntegerField(
        "and of how many at most",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_PEOPLE)],
    )
    sure_percent = models.PositiveSmallIntegerField(
        "until an answer is this sure, in per cent",
        default=90,
        db_default=90,
        validators=[MinValueValidator(50), MaxValueValidator(99)],
    )

    class Meta:
        verbose_name = "questions of one's own"
        verbose_name_plural = "questions of one's own"
        constraints = [
            models.CheckConstraint(
                condition=Q(answers_wanted__gt=0, answers_wanted__lte=MOST_PEOPLE),
                name="plain_project_wants_answers",
            ),
            models.CheckConstraint(
                condition=Q(answers_most=None) | Q(answers_most__gte=F("answers_wanted")),
                name="plain_project_most_not_below_fewest",
            ),
            models.CheckConstraint(
                condition=Q(sure_percent__gte=50, sure_percent__lte=99), name="plain_project_sure_enough"
            ),
        ]

    def __str__(self) -> str:
        return f"Questions of {self.study}"

    @property
    def enough(self) -> Enough | None:
        """When a row has enough answers, if that depends on them."""
        if self.answers_most is None:
            return None
        return Enough(fewest=self.answers_wanted, most=self.answers_most, sure=self.sure_percent / 100)

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from crowd.winogavil.domain import SELECTION_THRESHOLD
from hits.studies.models import Batch, Study


class Game(models.Model):
    """A study's own way of playing the association game. A study without a row plays by the defaults."""

    class Feedback(models.TextChoices):
        NEVER = "never", "never"
        FINAL = "final", "once an association is final"
        AT_ONCE = "at_once", "as soon as the work is submitted"

    study = models.OneToOneField(Study, models.CASCADE, related_name="game")
    inner_marks = models.BooleanField(
        "hyphen and apostrophe within a cue",
        default=False,
        help_text="Allows words such as “ice-cream” or “o'clock”.",
    )
    names_allowed = models.BooleanField(
        "a cue may name a picture shown",
        default=False,
        help_text="Off: a cue is refused if it is the name of one of the pictures.",
    )
    feedback = models.CharField(
        "solvers see what was right", max_length=8, choices=Feedback, default=Feedback.FINAL
    )
    selection_threshold = models.PositiveSmallIntegerField(
        "selection threshold, in per cent",
        default=SELECTION_THRESHOLD,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="An association is selected if the mean of its solvers is at least this: 80 in the paper. "
        "Lower it for more data of lower quality, raise it for less of higher quality. Every figure follows "
        "at once and nothing is lost; releases keep the threshold they were made with, and bonuses follow "
        "the bonus table.",
    )
    solve_batch = models.OneToOneField(
        Batch,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The launched batch that solves what this study's spymasters make.",
    )
    grows = models.BooleanField(
        "solving grows by itself",
        default=False,
        help_text="On: the batch gets as many HITs as answers are wanted, within the budget. "
        "Off: they wait for a person's click.",
    )
    # Why the batch did not grow when that was last tried.
    problem = models.TextField(blank=True, editable=False)

    class Meta:
        verbose_name = "association game"
        constraints = [
            models.CheckConstraint(
                condition=Q(selection_threshold__gte=1, selection_threshold__lte=100),
                name="game_selection_threshold_per_cent",
            )
        ]

    def __str__(self) -> str:
        return f"The association game of {self.study}"

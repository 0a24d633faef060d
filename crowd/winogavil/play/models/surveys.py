from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from crowd.winogavil.play.models.players import Player

LONGEST = 2000


def rating() -> "models.PositiveSmallIntegerField[int, int]":
    return models.PositiveSmallIntegerField(validators=[MinValueValidator(1), MaxValueValidator(5)])


class Survey(models.Model):
    """A player's opinion of the game, kept apart from what was played, and part of no release."""

    SKILLS = ("visual", "knowledge", "associating", "commonsense", "abstraction", "divergent")
    OPINIONS = ("interest", "enjoyment", "clarity")
    QUESTIONS = ("liked", "other_skills", "model_effect", "anything")

    player = models.OneToOneField(Player, models.PROTECT, related_name="survey")
    visual = rating()
    knowledge = rating()
    associating = rating()
    commonsense = rating()
    abstraction = rating()
    divergent = rating()
    interest = rating()
    enjoyment = rating()
    clarity = rating()
    liked = models.TextField(max_length=LONGEST, blank=True)
    other_skills = models.TextField(max_length=LONGEST, blank=True)
    model_effect = models.TextField(max_length=LONGEST, blank=True)
    anything = models.TextField(max_length=LONGEST, blank=True)
    answered_at = models.DateTimeField()

    class Meta:
        permissions = [("export_survey", "Can export players' exit surveys")]

    def __str__(self) -> str:
        return f"survey of {self.player_id}"

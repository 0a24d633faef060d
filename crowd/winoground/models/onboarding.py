from django.db import models

from crowd.pictures.models import Picture
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class FirstQuestion(models.Model):
    """A question of the onboarding: its pair is in no data."""

    item = models.OneToOneField(Item, models.CASCADE, related_name="winoground_first_question")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    caption = models.CharField(max_length=300)
    is_match = models.BooleanField()

    def __str__(self) -> str:
        return self.caption


class SecondChance(models.Model):
    """The one mistake that its worker was warned of; what was answered elsewhere stays as it was."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="winoground_second_chance")
    item = models.ForeignKey(Item, models.CASCADE, related_name="+")
    # {public id of an item: "yes" or "no"}: what was sent in the first time.
    first_answer = models.JSONField(default=dict)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Warned in {self.assignment}"

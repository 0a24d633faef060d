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
    """The one mistake that a worker was warned of; the answers to other questions stay as they were."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="winoground_second_chance")
    item = models.ForeignKey(Item, models.CASCADE, related_name="+")
    # {public id of an item: "yes" or "no"}, as first submitted.
    first_answer = models.JSONField(default=dict)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Warned in {self.assignment}"

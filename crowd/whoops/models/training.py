from django.db import models

from crowd.pictures.models import Picture
from hits.work.models.items import Item


class TrainingImage(models.Model):
    """An image of the annotators' test: in no data, with model texts that its grader reads."""

    item = models.OneToOneField(Item, models.CASCADE, related_name="whoops_training_image")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    caption = models.CharField("a good caption", max_length=500)
    explanation = models.CharField("a good explanation", max_length=500)
    underspecified = models.CharField("a good underspecified caption", max_length=500)

    def __str__(self) -> str:
        return self.caption

from typing import Any

from django.db import models

from crowd.pictures.models import Picture
from hits.work.models.items import Item


class PictureSet(models.Model):
    """The pictures of one create HIT, in the order shown; the workers of the HIT invent cues for them."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="picture_set")
    # How it was drawn, so that it can be drawn again: {"kind": "random", "seed": 7, "number": 12}.
    recipe: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)

    class Meta:
        verbose_name = "picture set"

    def __str__(self) -> str:
        return f"picture set {self.pk}"


class PictureSetPlace(models.Model):
    picture_set = models.ForeignKey(PictureSet, models.CASCADE, related_name="places")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["picture_set", "position"], name="picture_set_position_once"),
            models.UniqueConstraint(fields=["picture_set", "picture"], name="picture_set_picture_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.picture}"

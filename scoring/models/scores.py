from fractions import Fraction

from django.db import models
from django.db.models import F, Q

from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class Score(models.Model):
    """The worth of one answer to one item by one measure. It can be rebuilt from the raw answer."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="scores")
    item = models.ForeignKey(Item, models.PROTECT, related_name="scores")
    measure = models.CharField(max_length=32)
    numerator = models.PositiveIntegerField()
    denominator = models.PositiveIntegerField()
    scored_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "item", "measure"], name="score_once_per_measure"),
            models.CheckConstraint(
                condition=Q(denominator__gt=0) & Q(numerator__lte=F("denominator")),
                name="score_is_a_share",
            ),
        ]
        indexes = [models.Index(fields=["item", "measure"], name="score_by_item")]

    def __str__(self) -> str:
        return f"{self.measure} {self.numerator}/{self.denominator}"

    @property
    def value(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from crowd.whoops.models.images import LONGEST_EXPLANATION, Image

LONGEST_WHY = 300


class ImageEdit(models.Model):
    """A researcher's change to what a designer has sent: both texts, who and when. Append-only."""

    class What(models.TextChoices):
        EXPLANATION = "explanation", "Explanation"
        CATEGORY = "category", "Category"

    image = models.ForeignKey(Image, models.CASCADE, related_name="edits")
    revision = models.PositiveSmallIntegerField()
    what = models.CharField(max_length=16, choices=What)
    before = models.CharField(max_length=LONGEST_EXPLANATION, blank=True)
    after = models.CharField(max_length=LONGEST_EXPLANATION, blank=True)
    why = models.CharField(max_length=LONGEST_WHY)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=~Q(before=F("after")), name="whoops_edit_changes_something"),
        ]

    def __str__(self) -> str:
        return f"{self.image}: {self.get_what_display()}"

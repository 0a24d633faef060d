from django.db import models
from django.db.models import Q

from crowd.releases.models import Release
from crowd.winogavil.models import Association


class ReleaseItem(models.Model):
    """One association of a release, with what is needed to score predictions."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="items")
    association = models.ForeignKey(Association, models.PROTECT, related_name="+")
    # The association's id in the files.
    public_id = models.UUIDField()
    # True for an instance of the SWOW baseline, which has a column of its own in the table of models.
    from_list = models.BooleanField(default=False)
    # True if it is part of the published form.
    selected = models.BooleanField()
    candidates: "models.JSONField[list[str], list[str]]" = models.JSONField()
    # Positions among the candidates.
    chosen: "models.JSONField[list[int], list[int]]" = models.JSONField()
    size = models.PositiveSmallIntegerField()
    k = models.PositiveSmallIntegerField()
    # The mean of its solvers.
    numerator = models.PositiveIntegerField()
    denominator = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "association"], name="release_item_once"),
            models.UniqueConstraint(fields=["release", "public_id"], name="release_item_by_name"),
            models.CheckConstraint(condition=Q(denominator__gt=0), name="release_item_has_mean"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)

from uuid import uuid4

from django.db import models
from django.db.models import Q

from crowd.releases.models import Release
from hits.identity.models.users import User


class Prediction(models.Model):
    """A model's predictions on a release, as they were uploaded; the scores are computed here."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    release = models.ForeignKey(Release, models.CASCADE, related_name="predictions")
    model = models.CharField(max_length=100, help_text="Name of the row in the table of models.")
    notes = models.CharField(
        max_length=500,
        blank=True,
        help_text="Weights, prompt, and whatever else tells this model from others.",
    )
    # Digest of the file as it was uploaded.
    sha256 = models.CharField(max_length=64)
    rows = models.PositiveIntegerField()
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["release", "model"], name="prediction_once_per_model")]

    def __str__(self) -> str:
        return f"{self.model} on {self.release}"


class Tally(models.Model):
    """The exact sum of a model's Jaccard indices over items of one origin, one size and one number chosen."""

    prediction = models.ForeignKey(Prediction, models.CASCADE, related_name="tallies")
    # True for the instances of the SWOW baseline.
    from_list = models.BooleanField(default=False)
    size = models.PositiveSmallIntegerField()
    k = models.PositiveSmallIntegerField()
    items = models.PositiveIntegerField()
    numerator = models.PositiveBigIntegerField()
    denominator = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["prediction", "from_list", "size", "k"], name="tally_once"),
            models.CheckConstraint(condition=Q(denominator__gt=0, items__gt=0), name="tally_of_something"),
        ]

    def __str__(self) -> str:
        return f"{self.prediction_id}: {self.k} of {self.size}"
